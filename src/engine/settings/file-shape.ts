// The shape of the TOML file: what each key may hold, in the words that a problem is reported in.
import { isIP } from 'node:net'
import { z } from 'zod'
import { parseSecrets } from '../../contract/secret.ts'
import { parseHostPattern, withoutBrackets } from '../policy/policy.ts'

// Both are mistakes in a text that a page shows, and in a name that a log line carries.
const UNPRINTABLE = /\p{Cc}|\p{Cs}/u
const HOST_NAME = /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i
const MAXIMUM_BASE_URL = 300
/** Characters: ub-organization-name of X.520 (RFC 5280, appendix A). */
export const MAXIMUM_ORGANISATION = 64

const text = (least: number, most: number) =>
  parsed(`must have ${least} to ${most} bytes and no control characters`, (value) => {
    const bytes = Buffer.byteLength(value)
    return bytes >= least && bytes <= most && !UNPRINTABLE.test(value) ? value : undefined
  })

const whole = (least: number, most: number) => {
  const rule = `must be a whole number from ${least} to ${most}`
  return z.int({ error: rule }).min(least, { error: rule }).max(most, { error: rule })
}

const minutes = whole(1, 60 * 24 * 31)
const attempts = whole(1, 100)
const lockoutSeconds = whole(1, 60 * 60 * 24)

const limits = { attempts: attempts.optional(), lockout_seconds: lockoutSeconds.optional() }
const prompt = text(1, 80).optional()

const override = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('pin'),
      code: parsed('must be a text of 4 to 12 digits', (code) => (/^[0-9]{4,12}$/.test(code) ? code : undefined)),
      prompt,
      ...limits,
    }),
    z.strictObject({ type: z.literal('passphrase'), code: text(4, 256), prompt, ...limits }),
  ],
  oneOf('pin', 'passphrase'),
)

const pattern = parsed(
  'must be a host such as "casino.example", "*.casino.example" for all below it, or "*"',
  parseHostPattern,
)

/** As the URL parser spells it, but for the brackets. */
const hostname = parsed('must be a host name or an IP address', (name) => {
  const url = isHost(name) ? URL.parse(`http://${isIP(name) === 6 ? `[${name}]` : name}`) : null
  return url === null ? undefined : withoutBrackets(url.hostname)
})

const common = {
  name: text(1, 128),
  description: text(0, 1024).default(''),
  category: text(1, 128).optional(),
  match: z.array(pattern, { error: 'must be a list of hosts' }).min(1, { error: 'must name at least one host' }),
}

const acknowledgeable = {
  ...common,
  acknowledge: z.boolean({ error: 'must be true or false' }).default(true),
  session_minutes: minutes.optional(),
  override: override.optional(),
}

const rule = z
  .discriminatedUnion(
    'action',
    [
      z.strictObject({ ...common, action: z.literal('allow') }),
      z.strictObject({ ...common, action: z.literal('block') }),
      z.strictObject({ ...acknowledgeable, action: z.literal('warn') }),
      z.strictObject({ ...acknowledgeable, action: z.literal('aup') }),
    ],
    oneOf('block', 'warn', 'aup', 'allow'),
  )
  .refine((value) => !('override' in value && value.override !== undefined && value.acknowledge === false), {
    error: 'must not have an override where acknowledge is false: there is no way on that a code could open',
    // Beside the rule's other problems, too.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })

/** What the file holds, once its keys are the known ones and every value keeps its rule. */
export const fileShape = z.strictObject({
  captive_portal: z.strictObject({
    secret: parsedSecret(),
    base_url: parsed(...baseUrl()),
    hostnames: z.array(hostname, { error: 'must be a list of names' }).default([]),
  }),
  control: z
    .strictObject({
      listen: parsed('must be HOST:PORT', parseListen).prefault('127.0.0.1:11225'),
      api_token: parsed('must have 16 to 512 visible ASCII characters', (token) =>
        /^[!-~]{16,512}$/.test(token) ? token : undefined,
      ).optional(),
      hostnames: z.array(hostname, { error: 'must be a list of names' }).default([]),
    })
    .prefault({}),
  certificates: z.strictObject({
    folder: text(1, 4096),
    organisation: organisation().default('Gateway'),
    group_reads_key: z.boolean({ error: 'must be true or false' }).default(false),
    // Ignored since 2026.48.0, with a warning.
    crl_url: z.unknown().optional(),
  }),
  override: z
    .strictObject({ attempts: attempts.default(5), lockout_seconds: lockoutSeconds.default(900) })
    .prefault({}),
  session_minutes: minutes.default(60),
  acknowledgement_minutes: minutes.default(15),
  rules: z.array(rule).default([]),
})

export type FileContent = z.output<typeof fileShape>

/** A text that a parser turns into a value; undefined from the parser means that it breaks the rule. */
function parsed<Value>(rule: string, parse: (value: string) => Value | undefined) {
  return z.string({ error: (issue) => (issue.input === undefined ? undefined : rule) }).transform((value, context) => {
    const result = parse(value)
    if (result !== undefined) return result
    context.addIssue({ code: 'custom', message: rule })
    return z.NEVER
  })
}

/** Words what is wrong with the key that tells the shapes of a union apart. */
function oneOf(...values: readonly string[]): { error: z.core.$ZodErrorMap } {
  const rule = `must be one of ${values.map((value) => `"${value}"`).join(', ')}`
  return { error: (issue) => (issue.code === 'invalid_union' ? rule : undefined) }
}

function organisation() {
  return text(1, 4 * MAXIMUM_ORGANISATION).refine((value) => [...value].length <= MAXIMUM_ORGANISATION, {
    error: `must have at most ${MAXIMUM_ORGANISATION} characters`,
  })
}

function parsedSecret() {
  return z.string().transform((value, context) => {
    try {
      const secrets = parseSecrets(value)
      if (secrets.length === 1 && secrets[0] === value) return secrets
      context.addIssue({ code: 'custom', message: 'must have no white space in it: the engine seals with one secret' })
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as RangeError).message })
    }
    return z.NEVER
  })
}

function baseUrl(): [string, (value: string) => string | undefined] {
  const parse = (value: string) => {
    const url = URL.parse(value)
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
    return isOrigin && url.origin.length <= MAXIMUM_BASE_URL ? url.origin : undefined
  }
  return ['must be an http or https URL of scheme, host and port alone', parse]
}

function parseListen(value: string): { host: string; port: number } | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:\s[\]]+)):([0-9]{1,5})$/i.exec(value) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || port > 65_535 || !isHost(host)) return undefined
  return { host, port }
}

function isHost(value: string): boolean {
  return isIP(value) !== 0 || (value.length <= 253 && HOST_NAME.test(value))
}
