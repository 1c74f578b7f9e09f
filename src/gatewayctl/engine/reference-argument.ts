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

const GROUP = /^[A-Za-z0-9_-]{1,4}$/
/** Options that could be a group. */
const SHORT_OPTIONS = new Set(['-h', '--at', '--by'])

/** The groups after `--reference` as one word, because one may begin with `-`, like an option. */
export function withJoinedReference(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--reference')
  if (at === -1) return args
  const words = args.slice(at + 1)
  const end = words.findIndex((word) => !GROUP.test(word) || SHORT_OPTIONS.has(word))
  const groups = end === -1 ? words : words.slice(0, end)
  if (groups.length < 2) return args
  return [...args.slice(0, at), `--reference=${groups.join('')}`, ...words.slice(groups.length)]
}
