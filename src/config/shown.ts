// How a problem shows what an operator wrote: on one line, not too long, and without credentials that a URL carries.
import { isAbsolute } from 'node:path'

const MAXIMUM_CHARACTERS = 100

/** A value that is no secret, in quotes. What stands before an `@` and after a `?` may be one all the same. */
export function shown(text: string): string {
  const safe = text.replace(/^.*@/s, '…@').replace(/\?.*$/s, '?…')
  const characters = [...safe]
  const short = characters.length > MAXIMUM_CHARACTERS ? `${characters.slice(0, MAXIMUM_CHARACTERS).join('')}…` : safe
  return `"${escaped(short)}"`
}

/** The path of a secret's file; not shown unless it looks like one, because it may be the secret, put in the wrong place. */
export function shownPath(path: string): string {
  return isAbsolute(path) || path.startsWith('.') ? shown(path) : 'a relative path that is not shown'
}

/** Text without line breaks, controls, directions and quotation marks of its own. */
export function escaped(text: string): string {
  return text.replace(/["\\\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
