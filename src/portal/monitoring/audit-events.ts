// The schemas of the audit log's events. docs/audit-log.md and the JSON schema are generated from them, and a test checks a
// real portal's log lines against them. The portal itself imports only types from here.
import { z } from 'zod'
import { ACKNOWLEDGEMENT_RESULTS, PAYLOAD_REASONS } from '../event.ts'

const line = {
  level: z.literal(30).describe('30; 50 for a failure'),
  time: z.iso.datetime().describe('when the line was written'),
}

const request = {
  ...line,
  method: z.string().describe('the request’s method'),
  route: z.string().describe('the path if it is the portal’s, otherwise `other`'),
  status: z.int().describe('the response’s status'),
  milliseconds: z.number().describe('from the request to its response'),
  aborted: z.literal(true).optional().describe('the browser disconnected before the response was written'),
  msg: z.literal('request').describe('the log message'),
}

const reference = z.string().describe('the verdict’s id (`jti`)')
const verdict = {
  reference,
  kind: z.enum(['block', 'warn', 'aup']).describe('the verdict’s kind'),
  rule: z.string().describe('the rule’s name'),
  destination: z.string().optional().describe('only with `GATEWAY_CAPTIVE_LOG_DESTINATION=true`; without credentials'),
}
const verdictIfKnown = {
  reference: verdict.reference.optional(),
  kind: verdict.kind.optional(),
  rule: verdict.rule.optional(),
  destination: verdict.destination,
}

const outcome = z.enum(ACKNOWLEDGEMENT_RESULTS).describe('see [outcomes](#outcomes)')
const engine = {
  outcome,
  engineStatus: z.int().optional().describe('the status of the engine’s response'),
  reason: z
    .string()
    .optional()
    .describe('with `broken` and `rejected`: what was wrong, and often what to do; with `overloaded`: the limit'),
}
const err = z.looseObject({ type: z.string(), message: z.string(), stack: z.string() }).describe('the error')

const payloadRefusal = z
  .union([z.enum(PAYLOAD_REASONS).exclude(['claim']), z.templateLiteral(['claim ', z.string()])])
  .describe('why; see [refusals](#refusals)')

const listener = z.strictObject({ host: z.string(), port: z.int() })
const optionalText = z.string().optional()

/** The configuration without its secrets. */
const configuration = z
  .strictObject({
    environment: z.enum(['production', 'development']),
    release: z.strictObject({ version: z.string(), type: z.string(), label: z.string() }),
    listen: listener,
    ops: listener,
    trustedProxies: z.array(z.string()).readonly(),
    publicAddress: z.strictObject({
      baseUrl: z.string(),
      secure: z.boolean(),
      hostname: z.string(),
      httpPort: z.int(),
      httpsPort: z.int(),
    }),
    payload: z.strictObject({ keys: z.array(z.string()), maxAgeSeconds: z.int() }),
    session: z.strictObject({ secrets: z.int() }),
    engine: z.strictObject({
      url: optionalText,
      ackPath: z.string(),
      timeoutSeconds: z.int(),
      caFile: optionalText,
      apiToken: z.boolean(),
    }),
    database: z.union([
      z.strictObject({ dialect: z.literal('sqlite'), path: z.string() }),
      z.strictObject({
        dialect: z.literal('postgres'),
        host: z.string(),
        name: z.string(),
        tls: z.enum(['none', 'unverified', 'authority', 'verified']),
      }),
    ]),
    brand: z.strictObject({
      product: z.string(),
      palette: z.string(),
      organisation: optionalText,
      company: optionalText,
      companyUrl: optionalText,
      supportUrl: optionalText,
      supportText: optionalText,
      logo: optionalText,
    }),
    locales: z.strictObject({ default: z.string(), supported: z.array(z.string()).readonly() }),
    timeZone: z.string(),
    policy: z.strictObject({ enabled: z.boolean(), path: z.string(), version: z.string() }),
    certificate: z.strictObject({ inspection: z.boolean(), path: z.string() }),
    deviceProxy: z.strictObject({ address: listener.optional(), direct: z.array(z.string()).readonly() }),
    records: z.strictObject({
      clientAddress: z.boolean(),
      logDestination: z.boolean(),
      proxyLog: z.enum(['on', 'off', 'unknown']),
    }),
  })
  .describe('[the configuration](#the-configuration), without its secrets')

const start = z.strictObject({
  ...line,
  event: z.literal('start'),
  configuration,
  msg: z.literal('starting'),
})

const head = z.strictObject({
  ...line,
  event: z.literal('ledger.head'),
  portal: z.string().describe('the process, since its start'),
  number: z.int().describe('of its heads, from 1 on'),
  at: z.iso.datetime().describe('when it was signed'),
  until: z.iso.datetime().nullable().describe('what was completed before this is covered; null if more heads follow'),
  size: z.int().describe('how many attempts and entries it covers'),
  root: z.string().describe('the Merkle tree hash over them'),
  previous: z.string().nullable().describe('the hash of the head before'),
  key: z.string().describe('the public key (Ed25519)'),
  signature: z.string().describe('over all of these'),
  msg: z.literal('ledger head'),
})

/** What the portal logs at its start, without the members that the logger adds to every line. */
export type StartEvent = Omit<z.infer<typeof start>, keyof typeof line | 'msg'>

/** Every event, in the order of the documentation. */
export const auditEvents = [
  start.describe('The portal starts.'),
  z
    .strictObject({ ...request, event: z.literal('verdict.shown'), ...verdict })
    .describe('A verdict page was sent to a GET that is not a prefetch.'),
  z
    .strictObject({
      ...request,
      event: z.literal('payload.refused'),
      refusal: payloadRefusal,
      ...verdictIfKnown,
    })
    .describe(
      'A verdict URL or an acknowledgement was refused. `reference`, `kind` and `rule` are present if the payload opened.',
    ),
  z
    .strictObject({
      ...request,
      level: z.literal([30, 50]).describe(line.level.description ?? ''),
      event: z.literal('acknowledgement'),
      ...engine,
      ...verdictIfKnown,
    })
    .describe('A visitor’s acknowledgement; `rejected`, `broken` and `late` have level 50.'),
  z
    .strictObject({
      ...request,
      event: z.literal('lockout'),
      ...engine,
      outcome: z.literal('lockedOut'),
      retryAfter: z.int().describe('how long the lockout lasts, in seconds'),
      ...verdict,
    })
    .describe('The engine’s response was a lockout.'),
  z
    .strictObject({
      ...line,
      level: z.literal(50),
      event: z.literal('record.failed'),
      reference,
      outcome: outcome.optional().describe('if it was sent to the engine; the acceptance stays pending'),
      err,
      msg: z.enum(['acceptance could not be recorded', 'acceptance stays pending']),
    })
    .describe('The ledger could not record an acceptance, which then was not sent, or its outcome.'),
  head.describe(
    'A head of the ledger, every hour and at the end: [the evidence](ledger.md#verify) outside of the database.',
  ),
  z
    .strictObject({
      ...request,
      event: z.literal('request'),
      refusal: z
        .enum(['target', 'host', 'body', 'content encoding'])
        .optional()
        .describe('why the request guard rejected it'),
      ...verdictIfKnown,
    })
    .describe('Any other request. A HEAD or a prefetch of a verdict page has `reference`, `kind` and `rule`.'),
] as const

/** One line of the audit log. */
export const auditEvent = z.discriminatedUnion('event', auditEvents)
