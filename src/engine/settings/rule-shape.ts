// The shape of a rule in the TOML file, and of its exceptions, schedule and codes.
import * as z from 'zod'
import { evenWithProblems, integer, parsed, text } from '../../settings/shapes.ts'
import { CONDITION_KEYS, CONDITIONS, EXCEPTION_KEYS } from '../policy/conditions.ts'
import { DEFAULT_RULE_NAME } from '../policy/policy.ts'
import { name } from '../policy/value-shapes.ts'

export const minutes = integer(1, 60 * 24 * 31)
export const attempts = integer(1, 100)
export const lockoutSeconds = integer(1, 60 * 60 * 24)

type Shapes = { readonly [Key in keyof typeof CONDITIONS]: z.ZodOptional<(typeof CONDITIONS)[Key]['shape']> }

const conditions = shapesOf(CONDITION_KEYS) as Shapes
const exceptions = shapesOf(EXCEPTION_KEYS) as Omit<Shapes, 'switch' | 'when'>

function shapesOf(keys: readonly (keyof typeof CONDITIONS)[]) {
  return Object.fromEntries(keys.map((key) => [key, CONDITIONS[key].shape.optional()]))
}

const descriptions = z.record(
  parsed('a language tag such as "de" or "pt-BR"', (tag) =>
    /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) ? tag : undefined,
  ),
  text(0, 1024),
)

const common = {
  name: name.refine(
    (value) => value !== DEFAULT_RULE_NAME,
    `must not be "${DEFAULT_RULE_NAME}": the default has that name`,
  ),
  description: text(0, 1024).default(''),
  descriptions: descriptions.optional(),
  category: text(1, 128).optional(),
  ...conditions,
  except: z
    .strictObject(exceptions)
    .refine((value) => namesAny(EXCEPTION_KEYS, value), `must name at least one of ${EXCEPTION_KEYS.join(', ')}`)
    .optional(),
}

const expires = z.preprocess(
  (value) => (value instanceof Date ? value.toISOString() : value),
  parsed('a date or a time such as 2026-12-24 or 2026-12-24T18:00:00+01:00', parseExpiry),
)

/** Their codes are checked by `checkCodes`, which also reports those of an unknown type. */
const CODES = {
  pin: parsed('a string of 4 to 12 digits', (code) => (/^[0-9]{4,12}$/.test(code) ? code : undefined)),
  passphrase: text(4, 256),
}

const override = z
  .strictObject({
    type: z.enum(['pin', 'passphrase'], 'must be one of "pin", "passphrase"'),
    code: z.string().optional(),
    codes: z
      .array(z.strictObject({ code: z.string(), expires: expires.optional() }))
      .min(1, 'must have at least one code')
      .optional(),
    length: integer(4, 12).optional(),
    prompt: text(1, 80).optional(),
    attempts: attempts.optional(),
    lockout_seconds: lockoutSeconds.optional(),
  })
  .superRefine(checkCodes, evenWithProblems)

/** Only for a rule that the visitor can acknowledge. */
const acknowledgement = {
  acknowledge: z.boolean().optional(),
  session_minutes: minutes.optional(),
  override: override.optional(),
}

export const rule = z
  .strictObject({
    ...common,
    action: z.enum(['block', 'warn', 'aup', 'allow'], 'must be one of "block", "warn", "aup", "allow"'),
    ...acknowledgement,
    locked: z.boolean().optional(),
  })
  .refine(({ action, locked }) => locked === undefined || action === 'block', {
    ...evenWithProblems,
    path: ['locked'],
    error: ({ input }) => `must not be set where the action is "${Object(input).action}": only a block can be locked`,
  })
  .superRefine((value, context) => {
    if (value.action !== 'block' && value.action !== 'allow') return
    for (const key of Object.keys(acknowledgement) as (keyof typeof acknowledgement)[]) {
      if (value[key] === undefined) continue
      context.addIssue({
        code: 'custom',
        path: [key],
        message: `must not be set where the action is "${value.action}"`,
      })
    }
  }, evenWithProblems)
  .refine(({ override, acknowledge }) => override === undefined || acknowledge !== false, {
    ...evenWithProblems,
    path: ['acknowledge'],
    error: 'must not be false where the rule has an override: nothing could be acknowledged with the code',
  })
  .refine((value) => namesAny(CONDITION_KEYS, value), {
    ...evenWithProblems,
    error: `must name what it matches with one of ${CONDITION_KEYS.join(', ')}; for everything match = ["*"]`,
  })

function namesAny(keys: readonly string[], value: object): boolean {
  return keys.some((key) => value[key as never] !== undefined)
}

interface Override {
  readonly type: keyof typeof CODES
  readonly length?: number | undefined
  readonly code?: string | undefined
  readonly codes?: readonly { readonly code: string }[] | undefined
}

function checkCodes({ type, length, code, codes }: Override, context: z.RefinementCtx): void {
  const add = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message })
  if (code === undefined && codes === undefined && length === undefined) {
    add(['code'], 'must be set, or codes, or length for lesson codes alone')
  }
  const further = Array.isArray(codes) ? codes.map((one) => one?.code) : []
  const shape = Object.hasOwn(CODES, type) ? CODES[type] : undefined
  const seen = new Set<string>()
  let digits: number | undefined
  const all: readonly [PropertyKey[], unknown][] = [
    [['code'], code],
    ...further.map((one, index): [PropertyKey[], unknown] => [['codes', index, 'code'], one]),
  ]
  for (const [path, one] of all) {
    if (typeof one !== 'string') continue
    const spelt = one.normalize('NFC')
    if (shape?.safeParse(one).success === false) {
      add(path, `must be ${shape.description}`)
      continue
    }
    digits ??= one.length
    if (type === 'pin' && one.length !== digits) {
      add(path, 'must have as many digits as the other codes of the rule')
    } else if (seen.has(spelt)) {
      add(path, 'must differ from the other codes of the rule')
    }
    seen.add(spelt)
  }
  if (type === 'pin' && typeof length === 'number' && digits !== undefined && digits !== length) {
    add(['length'], 'must be the number of digits that the codes of the rule have')
  }
}

const EXPIRY =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$/i

/** The end of a date, or a time: in milliseconds since the epoch with an offset, otherwise in the time zone of the policy. */
function parseExpiry(value: string): number | Temporal.PlainDateTime | undefined {
  const [isExpiry, offset] = EXPIRY.exec(value) ?? []
  if (isExpiry === undefined) return undefined
  try {
    if (offset !== undefined) return Temporal.Instant.from(value).epochMilliseconds
    if (value.includes(':')) return Temporal.PlainDateTime.from(value)
    return Temporal.PlainDate.from(value).add({ days: 1 }).toPlainDateTime()
  } catch {
    return undefined
  }
}
