// The lines of a head, ICAP's or HTTP's. Strict, because if two programs read a line differently, one request is decided and
// another one forwarded.
import { TOKEN_CHARACTERS } from '../request/http-token.ts'

const MAXIMUM_FIELDS = 256
const NAME = new RegExp(`^[${TOKEN_CHARACTERS}]+$`)
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const SPACE = 0x20
const TAB = 0x09

/** The first line of a head, without its line end. */
export function firstLineOf(head: string): string {
  return head.slice(0, head.indexOf('\r\n'))
}

/**
 * Calls `visit` with the name in lower case and the value of each field after the first line.
 * @param head ends with an empty line; one character per byte
 * @returns what is wrong with the head; undefined where nothing is
 */
export function visitFields(head: string, visit: (name: string, value: string) => void): string | undefined {
  let count = 0
  for (let start = head.indexOf('\r\n') + 2, end = 0; ; start = end + 2) {
    end = head.indexOf('\r\n', start)
    if (end === start) return undefined
    if (++count > MAXIMUM_FIELDS) return 'too many header fields'
    const colon = head.indexOf(':', start)
    if (colon === -1 || colon > end) return 'a header field without a colon'
    const name = head.slice(start, colon)
    const value = trimmed(head, colon + 1, end)
    // Rejects continuation lines and spaces before the colon, too.
    if (!NAME.test(name)) return 'a header field with an invalid name'
    if (!VALUE.test(value)) return 'a header field with a control character'
    visit(name.toLowerCase(), value)
  }
}

/** Without spaces and tabs at either end. Not `trim()`: it would remove half of a UTF-8 character. */
function trimmed(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB
}
