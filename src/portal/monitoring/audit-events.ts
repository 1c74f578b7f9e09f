// The events of the audit log, one a line, as shapes: docs/audit-log.md and its JSON schema are written from here, and a
// test holds the lines of a real portal to them. The portal itself takes only types from here.
import { z } from 'zod'
import { OUTCOMES, PAYLOAD_REASONS } from './request-event.ts'

const line = {
  level: z.literal(30).describe('30; 50 where something failed'),
  time: z.iso.datetime().describe('when the line was written'),
}

const request = {
  ...line,
  method: z.string().describe('of the request'),
  route: z.string().describe('the path where it is one of the portal’s, else `other`'),
  status: z.int().describe('of the answer'),
  milliseconds: z.number().describe('from the request to its answer'),
  aborted: z.literal(true).optional().describe('there, when the browser went away before the answer was out'),
  msg: z.literal('request').describe('for people'),
}

const reference = z.string().describe('the verdict’s id (`jti`), which is in the engine’s log too')
const verdict = {
  reference,
  kind: z.enum(['block', 'warn', 'aup']).describe('of the verdict'),
  rule: z.string().describe('name of the rule'),
  destination: z.string().optional().describe('only with `GATEWAY_CAPTIVE_LOG_DESTINATION=true`; without credentials'),
}
const verdictIfKnown = {
  reference: verdict.reference.optional(),
  kind: verdict.kind.optional(),
  rule: verdict.rule.optional(),
  destination: verdict.destination,
}

const outcome = z.enum(OUTCOMES).describe('see [outcomes](#outcomes)')
const engine = {
  outcome,
  engineStatus: z.int().optional().describe('of the engine’s answer'),
  reason: z
    .string()
    .optional()
    .describe(
      'with `broken`: what was wrong with the answer or the connection; with `overloaded`: the limit that was reached',
    ),
}
const err = z.looseObject({ type: z.string(), message: z.string(), stack: z.string() }).describe('what went wrong')

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
      z.strictObject({ dialect: z.literal('postgres'), host: z.string(), name: z.string() }),
    ]),
    brand: z.strictObject({
      product: z.string(),
      palette: z.string(),
      organisation: optionalText,
      company: optionalText,
      companyUrl: optionalText,
      supportUrl: optionalText,
    }),
    locales: z.strictObject({ default: z.string(), supported: z.array(z.string()).readonly() }),
    policy: z.strictObject({ enabled: z.boolean(), path: z.string(), version: z.string() }),
    certificate: z.strictObject({ inspection: z.boolean(), path: z.string() }),
    records: z.strictObject({ clientAddress: z.boolean(), logDestination: z.boolean() }),
    tracing: z.strictObject({ url: optionalText, headers: z.array(z.string()) }),
  })
  .describe('[the configuration](#the-configuration), without its secrets')

const start = z.strictObject({
  ...line,
  event: z.literal('start'),
  configuration,
  msg: z.literal('starting'),
})

/** What a portal logs when it starts, but for what the log adds to every line. */
export type StartEvent = Omit<z.infer<typeof start>, keyof typeof line | 'msg'>

/** Every event, in the order of the documentation. */
export const auditEvents = [
  start.describe('The portal starts.'),
  z
    .strictObject({ ...request, event: z.literal('verdict.shown'), ...verdict })
    .describe('A verdict page was answered to a GET that is no prefetch.'),
  z
    .strictObject({
      ...request,
      event: z.literal('payload.refused'),
      refusal: payloadRefusal,
      ...verdictIfKnown,
    })
    .describe(
      'The parameters or the payload of a verdict URL, or of an acknowledgement, were refused. What names the verdict is there where the payload could be opened.',
    ),
  z
    .strictObject({ ...request, event: z.literal('acknowledgement'), ...engine, ...verdictIfKnown })
    .describe(
      'A visitor acknowledged, and what came of it. What names the verdict is missing where the request was refused before its payload was opened.',
    ),
  z
    .strictObject({
      ...request,
      event: z.literal('lockout'),
      ...engine,
      outcome: z.literal('lockedOut').describe('as for `acknowledgement`'),
      retryAfter: z.int().describe('seconds that the visitor is locked out for'),
      ...verdict,
    })
    .describe('The engine answered an acknowledgement with a lockout.'),
  z
    .strictObject({
      ...line,
      level: z.literal(50),
      event: z.literal('record.failed'),
      reference,
      outcome: outcome.optional().describe('of the acknowledgement, where the engine was asked: it stays pending'),
      err,
      msg: z.enum(['acceptance could not be recorded', 'acceptance stays pending']),
    })
    .describe('The ledger did not take an acceptance, so that the engine was not asked; or not its outcome.'),
  z
    .strictObject({
      ...request,
      event: z.literal('request'),
      refusal: z
        .enum(['target', 'host', 'body', 'content encoding'])
        .optional()
        .describe('what the front gate did not let through'),
      ...verdictIfKnown,
    })
    .describe('Any other request. One about a verdict, such as a HEAD or a prefetch, names it.'),
] as const

/** One line of the audit log. */
export const auditEvent = z.discriminatedUnion('event', auditEvents)
