// Untrusted text on an operator's terminal: it can't move the cursor, hide other text, change the text direction, or
// imitate a line of gatewayctl.

const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu
const UNSAFE_IN_LINES = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu

/** One line: invisible characters, line breaks included, become `\u{…}`. */
export function printable(text: unknown): string {
  return String(text).replace(UNSAFE, codePointEscape)
}

/** The same, but keeps line breaks and tabs. */
export function printableLines(text: unknown): string {
  return String(text).replaceAll('\r\n', '\n').replace(UNSAFE_IN_LINES, codePointEscape)
}

/** JSON with those characters escaped: printable, with the same meaning. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE_IN_LINES, (character) =>
    Array.from({ length: character.length }, (_, at) => jsonEscape(character.charCodeAt(at))).join(''),
  )
}

/** Quotes a path as one argument of a shell command. */
export function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${printable(path).replaceAll("'", "'\\''")}'`
}

function codePointEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

function jsonEscape(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`
}
