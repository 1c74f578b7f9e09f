// Compares an override code with those of a rule, lesson codes included.
import { equalInConstantTime } from '../constant-time.ts'
import type { Override, WarnOrAupRule } from '../policy/policy.ts'
import { codeFormatOf } from './ack-token.ts'
import type { LessonCode, LessonCodes } from './lesson-code.ts'

/**
 * Which of the rule's codes it is. The duration does not depend on which one, or on whether it has expired.
 * @param at milliseconds since the epoch
 */
export function findRightCode(
  code: string,
  rule: WarnOrAupRule,
  override: Override,
  lessonCodes: LessonCodes,
  at: number,
): FoundCode | undefined {
  const lessonCode = lessonCodes.find(rule.name, codeFormatOf(rule), code, at)
  if (isRightCode(code, override, at)) return { lessonCode: undefined }
  return lessonCode && { lessonCode }
}

/** A code of the policy, or a lesson code. */
interface FoundCode {
  readonly lessonCode: LessonCode | undefined
}

function isRightCode(code: string, { codes }: Override, at: number): boolean {
  // Keyboards send the same character composed or decomposed (ü).
  const normal = code.normalize('NFC')
  let isRight = false
  for (const one of codes) {
    const isEqual = equalInConstantTime(normal, one.code.normalize('NFC'))
    isRight = (isEqual && (one.expires === undefined || at < one.expires)) || isRight
  }
  return isRight
}
