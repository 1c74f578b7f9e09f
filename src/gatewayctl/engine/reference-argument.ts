// A reference as somebody dictates it: the words after `--reference`.
import { DICTATED_REFERENCE, parseReference } from '../../contract/reference.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { printable } from '../terminal/printable.ts'

/** @throws {Failure} for what is too short, or something else */
export function dictatedReference(words: readonly string[]): string {
  const reference = parseReference(words.join(''))
  if (DICTATED_REFERENCE.test(reference)) return reference
  throw new Failure(
    `--reference ${printable(reference)}: at least the first 8 of a reference's 22 letters, digits, "-" and "_"; this has ${reference.length} characters`,
    EXIT_MISUSED,
  )
}
