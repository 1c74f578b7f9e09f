// The shape of [inspection] and [gateway] in the TOML file: what the proxy applies.
import * as z from 'zod'
import { overlap, parseWholeHost } from '../../network/host-pattern.ts'
import { wholeHostAdvice } from '../../network/host-pattern-advice.ts'
import { isTenantHeader } from '../../published/tenant-header.ts'
import { parsed } from '../../settings/shapes.ts'
import { addressRange } from '../policy/value-shapes.ts'

/** Without "*.bank.example" and "*": Squid's dstdomain has no form for them. */
const host = parsed(
  'a host such as "bank.example", or ".bank.example" with all hosts below it',
  parseWholeHost,
  wholeHostAdvice,
)

/** Without 0.0.0.0/0: for Squid it is every address, IPv6 included, and it would switch inspection off. */
const range = addressRange.refine(
  ({ masks }) => masks[0] !== 0,
  'must be an IP address or a network with a prefix of at least 1 bit',
)

/** Letters, digits and hyphens; a value has nothing that a shell, Squid's configuration or a log could read as syntax. */
const header = parsed(
  'the name of a header such as "Restrict-Access-To-Tenants", of letters, digits and hyphens, none that HTTP itself needs',
  (text) => (isTenantHeader(text) ? text : undefined),
)
const value = parsed(
  'a header value of 1 to 1000 letters, digits, spaces between them, and . , : ; = / @ _ + -',
  (text) => (text.length <= 1000 && /^[A-Za-z0-9.,:;=/@_+-]+( [A-Za-z0-9.,:;=/@_+-]+)*$/.test(text) ? text : undefined),
)

const tenant = z.strictObject({ hosts: z.array(host).min(1, 'must name at least one host'), header, value })

export const inspection = z
  .strictObject({
    exempt: z.array(host).default([]),
    exempt_defaults: z.boolean().default(true),
    exempt_clients: z.array(range).default([]),
    safesearch: z.boolean().default(false),
    youtube: z.enum(['strict', 'moderate'], 'must be "strict" or "moderate"').optional(),
    tenants: z.array(tenant).default([]).superRefine(checkTenants),
  })
  .prefault({})

export const gateway = z.strictObject({ internal: z.array(range).default([]) }).prefault({})

/** A request with one header twice has no defined meaning. */
function checkTenants(tenants: readonly z.output<typeof tenant>[], context: z.RefinementCtx): void {
  tenants.forEach((one, index) => {
    const first = tenants.findIndex((other) => isRepeated(one, other))
    if (first === index) return
    const message = `must not cover a host of tenants[${first + 1}], which has the same header`
    context.addIssue({ code: 'custom', path: [index, 'hosts'], message })
  })
}

function isRepeated(one: z.output<typeof tenant>, other: z.output<typeof tenant>): boolean {
  const isSame = one.header.toLowerCase() === other.header.toLowerCase()
  return isSame && one.hosts.some((host) => other.hosts.some((covered) => overlap(host, covered)))
}
