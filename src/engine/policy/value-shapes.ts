// Shapes of the values that rules, groups and lists have in the TOML file.
import * as z from 'zod'
import { parseAddressRange } from '../../network/address-range.ts'
import { parseHostPattern } from '../../network/host-pattern.ts'
import { matchAdvice } from '../../network/host-pattern-advice.ts'
import { parsed, text } from '../../settings/shapes.ts'
import { parseAffix, parseUser, USER_RULE } from '../request/user.ts'

export const name = text(1, 128)
export const path = text(1, 4096)

/** With its affixes: `users` and groups remove them when they are loaded. */
export const user = parsed(USER_RULE, (text) => parseUser(text, []))
export const affix = parsed(
  'a domain with its separator ("SCHOOL\\\\", "SCHOOL/"), or a realm with its @ ("@school.example")',
  parseAffix,
)

const PATTERN_RULE =
  'a host such as "casino.example", ".casino.example" with all hosts below it, "*.casino.example" for those alone, or "*"'
export const pattern = parsed(
  `${PATTERN_RULE}, each also with a path ("video.example/shorts"), or a network such as "192.0.2.0/24"`,
  parseHostPattern,
  matchAdvice,
)

export const addressRange = parsed('an IP address or a network such as "10.20.0.0/16"', parseAddressRange)
export const clients = z.array(addressRange).min(1, 'must name at least one address')
