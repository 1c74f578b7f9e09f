// The shape of an `[[expect]]` in the TOML file: a request, and what the policy must decide about it.
import * as z from 'zod'
import { parsed } from '../../../settings/shapes.ts'
import { parseClient } from '../../request/client.ts'
import { parseTarget } from '../../request/target.ts'
import { name, user } from '../value-shapes.ts'

/** They are decided at each reload, in the engine's event loop. */
export const MAXIMUM_EXPECTATIONS = 1000

export const EXPECTED_VERDICTS = ['allow', 'block', 'warn', 'aup'] as const

const MOMENT =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})?$/i

const moment = z.preprocess(
  (value) => (value instanceof Date ? value.toISOString() : value),
  parsed('a date with a time such as 2026-11-27T10:00:00, also with an offset (+01:00)', parseMoment),
)

export const expectation = z.strictObject({
  url: parsed('an absolute http or https URL such as "https://casino.example/"', (text) => {
    const target = /\p{Cc}/u.test(text) ? undefined : parseTarget(text)
    return target?.reason === undefined ? target : undefined
  }),
  user: user.optional(),
  client: parsed('an IP address without a zone', parseClient).optional(),
  at: moment.optional(),
  verdict: z.enum(EXPECTED_VERDICTS, `must be one of ${EXPECTED_VERDICTS.map((one) => `"${one}"`).join(', ')}`),
  rule: name.optional(),
})

/** Milliseconds since the epoch with an offset, otherwise a time in the time zone of the policy. */
function parseMoment(text: string): number | Temporal.PlainDateTime | undefined {
  const [isMoment, offset] = MOMENT.exec(text) ?? []
  if (isMoment === undefined) return undefined
  try {
    return offset === undefined ? Temporal.PlainDateTime.from(text) : Temporal.Instant.from(text).epochMilliseconds
  } catch {
    return undefined
  }
}
