// Text from elsewhere on an operator's terminal: nothing in it may move the cursor, hide what stands before it, change
// the direction of reading, or pass for a line of ours.

const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu
const UNSAFE_IN_LINES = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu

/** On one line: controls, directions, line breaks and whatever else cannot be seen as `\u{…}`. */
export function printable(text: unknown): string {
  return String(text).replace(UNSAFE, spelt)
}

/** The same, but line breaks and tabs stay. */
export function printableLines(text: unknown): string {
  return String(text).replaceAll('\r\n', '\n').replace(UNSAFE_IN_LINES, spelt)
}

/** JSON in which those characters are escapes, so that it is safe to look at and means the same. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE_IN_LINES, (character) =>
    Array.from({ length: character.length }, (_, at) => jsonEscape(character.charCodeAt(at))).join(''),
  )
}

/** As a word of a shell's command. */
export function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${printable(path).replaceAll("'", "'\\''")}'`
}

function spelt(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

function jsonEscape(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`
}
