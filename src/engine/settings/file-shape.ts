// The shape of the TOML file: what each key may hold.
import * as z from 'zod'
import { canonicalHost, parseHostAndPort } from '../../config/host-and-port.ts'
import { host, integer, line, origin, parsed, secrets, text, visibleAscii } from '../../config/shapes.ts'
import { parseHostPattern } from '../policy/host-pattern.ts'

/** Names of keys that hold secrets. */
export const SECRET_KEYS = ['secret', 'api_token', 'code']

const MAXIMUM_BASE_URL = 300
/** Characters: ub-organization-name of X.520 (RFC 5280, appendix A). */
export const MAXIMUM_ORGANISATION = 64

const minutes = integer(1, 60 * 24 * 31)
const attempts = integer(1, 100)
const lockoutSeconds = integer(1, 60 * 60 * 24)

const limits = { attempts: attempts.optional(), lockout_seconds: lockoutSeconds.optional() }
const prompt = text(1, 80).optional()

const override = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('pin'),
      code: parsed('a text of 4 to 12 digits', (code) => (/^[0-9]{4,12}$/.test(code) ? code : undefined)),
      prompt,
      ...limits,
    }),
    z.strictObject({ type: z.literal('passphrase'), code: text(4, 256), prompt, ...limits }),
  ],
  oneOf('pin', 'passphrase'),
)

const pattern = parsed(
  'a host such as "casino.example", "*.casino.example" for all hosts below it, or "*"',
  parseHostPattern,
)
const hostnames = z.array(host.transform(canonicalHost)).default([])

const common = {
  name: text(1, 128),
  description: text(0, 1024).default(''),
  category: text(1, 128).optional(),
  match: z.array(pattern).min(1, 'must name at least one host'),
}

const acknowledgeable = {
  ...common,
  acknowledge: z.boolean().default(true),
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
    path: ['acknowledge'],
    error: 'must not be false where the rule has an override: nothing could be acknowledged with the code',
    // Also where the rule has other problems.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })

export const fileShape = z.strictObject({
  captive_portal: z.strictObject({
    secret: secrets.refine(({ length }) => length === 1, 'must hold one secret: the engine seals with one'),
    base_url: origin
      .transform((url) => url.origin)
      .refine(({ length }) => length <= MAXIMUM_BASE_URL, `must have at most ${MAXIMUM_BASE_URL} characters`),
    hostnames,
  }),
  control: z
    .strictObject({
      listen: parsed('HOST:PORT', (value) => parseHostAndPort(value, 0)).prefault('127.0.0.1:11225'),
      api_token: visibleAscii(16, 512).optional(),
      hostnames,
    })
    .prefault({}),
  certificates: z.strictObject({
    folder: text(1, 4096),
    organisation: line(MAXIMUM_ORGANISATION)
      .refine((name) => name.trim() !== '', 'must not be empty')
      .default('Gateway'),
    group_reads_key: z.boolean().default(false),
    // Ignored since 2026.48.0, with a warning.
    crl_url: z.unknown().optional(),
  }),
  override: z
    .strictObject({ attempts: attempts.default(5), lockout_seconds: lockoutSeconds.default(900) })
    .prefault({}),
  session_minutes: minutes.default(60),
  acknowledgement_minutes: minutes.default(20),
  rules: z.array(rule).default([]),
})

export type FileContent = z.output<typeof fileShape>

/** The rule of the key that selects a shape of a union. */
function oneOf(...values: readonly string[]): { error: z.core.$ZodErrorMap } {
  const rule = `must be one of ${values.map((value) => `"${value}"`).join(', ')}`
  return { error: (issue) => (issue.code === 'invalid_union' ? rule : undefined) }
}
