// Lesson codes: random override codes that open one rule for a time, next to those of the policy or instead of them.
import { randomInt } from 'node:crypto'
import type { Override } from '../policy/policy.ts'

export interface LessonCode {
  readonly id: string
  readonly rule: string
  /** See `codeFormatOf`: it is in force while the rule requires codes of this format. */
  readonly format: number
  /** Who asked for it, for the operators. */
  readonly by: string | undefined
  /** Milliseconds since the epoch, by the database's clock. */
  readonly createdAt: number
  readonly expiresAt: number
}

export interface LessonCodes {
  /** Those of the rule that are in force. @param at milliseconds since the epoch, by the clock of the process */
  inForce(rule: string, format: number, at: number): readonly LessonCode[]
  /** For how long the last of them will be, in milliseconds; 0 where there is none. */
  longestMs(rule: string, format: number, at: number): number
  /** The one of them that this is. */
  find(rule: string, format: number, code: string, at: number): LessonCode | undefined
}

export const NO_LESSON_CODES: LessonCodes = { inForce: () => [], longestMs: () => 0, find: () => undefined }

const DIGITS = '0123456789'
/** Nobody confuses these on a whiteboard: without i, l, o. */
const CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A random code of the type and length of the override. */
export function randomCode({ type, length }: Pick<Override, 'type' | 'length'>): string {
  const characters = type === 'pin' ? DIGITS : CHARACTERS
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
}
