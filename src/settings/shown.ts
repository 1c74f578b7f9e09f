// How a problem shows a value: on one line, truncated, and without credentials in a URL.
import { isAbsolute } from 'node:path'

const MAXIMUM_CHARACTERS = 100

/** A value in quotes. Text before an `@` or after a `?` may be a secret and is omitted. */
export function shown(text: string): string {
  return quoted(text.replace(/^.*@/s, '…@').replace(/\?.*$/s, '?…'))
}

/** Text in quotes, truncated. */
export function quoted(text: string): string {
  // A character has at most two code units.
  const start = [...text.slice(0, 2 * MAXIMUM_CHARACTERS + 1)]
  const short = start.length > MAXIMUM_CHARACTERS ? `${start.slice(0, MAXIMUM_CHARACTERS).join('')}…` : text
  return `"${escaped(short)}"`
}

/** The path of a secret's file; shown only if it looks like a path, because it may be the secret in the wrong variable. */
export function shownPath(path: string): string {
  return isAbsolute(path) || path.startsWith('.') ? shown(path) : 'a relative path that is not shown'
}

/** Text with its line breaks, control characters, direction marks and quotation marks escaped. */
export function escaped(text: string): string {
  return text.replace(/["\\\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
