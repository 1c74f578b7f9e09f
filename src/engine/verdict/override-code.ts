// Compares an override code with those of a rule.
import { equalInConstantTime } from '../constant-time.ts'
import type { Override } from '../policy/policy.ts'

/**
 * Whether it is one of the rule's codes. The duration does not depend on which one, or on whether it has expired.
 * @param at milliseconds since the epoch
 */
export function isRightCode(code: string, { codes }: Override, at: number): boolean {
  // Keyboards send the same character composed or decomposed (ü).
  const normal = code.normalize('NFC')
  let isRight = false
  for (const one of codes) {
    const isEqual = equalInConstantTime(normal, one.code.normalize('NFC'))
    isRight = (isEqual && (one.expires === undefined || at < one.expires)) || isRight
  }
  return isRight
}
