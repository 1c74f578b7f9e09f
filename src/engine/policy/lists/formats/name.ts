// Names, and the parts of lines, as bytes: lists have millions of lines.
import { isIP, isIPv4 } from 'node:net'
import { MAXIMUM_HOST_CHARACTERS, parseHost } from '../../../../network/host.ts'
import type { AddName } from './entries.ts'

export const DOT = 0x2e
export const ASTERISK = 0x2a
export const NUMBER_SIGN = 0x23
export const SLASH = 0x2f
export const COLON = 0x3a
/** 1 for space, tab, vertical tab and form feed. */
const BLANK = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0b, 0x0c]) BLANK[byte] = 1
/** 1 for these and #. */
const ENDS_TOKEN = Uint8Array.from(BLANK)
ENDS_TOKEN[NUMBER_SIGN] = 1
const MAXIMUM_LABEL = 63

/** The lower-case byte of each byte that may be in a label; 0 for all others. */
const FOLDED = new Uint8Array(256)
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-_') {
  FOLDED[character.charCodeAt(0)] = character.charCodeAt(0)
  FOLDED[character.toUpperCase().charCodeAt(0)] = character.charCodeAt(0)
}

/**
 * What names of one label are. Alone on a line, a mistake or a word of an error page: as an entry it would cover a top-level
 * domain. In hosts files `ignored`, as addresses are: these begin with some (`localhost`).
 */
export type SingleLabel = 'malformed' | 'ignored' | 'read'

/** Reads what most lines are: a name of several labels in ASCII and nothing else. Returns false for any other line. */
export function readPlainName(bytes: Buffer, start: number, end: number, add: AddName): boolean {
  const labels = foldName(bytes, start, end)
  if (labels < 2 || isDigit(bytes[end - 1] as number)) return false
  add(bytes, start, end, labels)
  return true
}

/** Reads a name or an address, and folds it to lower case in place. @returns whether it is well-formed */
export function readName(bytes: Buffer, start: number, end: number, single: SingleLabel, add: AddName): boolean {
  const prefix = bytes[start] === DOT ? 1 : bytes[start] === ASTERISK && bytes[start + 1] === DOT ? 2 : 0
  let source: Uint8Array = bytes
  let from = start + prefix
  let to = bytes[end - 1] === DOT ? end - 1 : end
  let labels = foldName(source, from, to)
  if (labels === 0) {
    const host = parseUnusual(bytes.toString('utf8', from, to))
    if (host === undefined) return false
    source = Buffer.from(host)
    from = 0
    to = source.length
    labels = host.split('.').length
  }
  if (source !== bytes ? source.includes(COLON) : isDottedAddress(bytes, from, to)) {
    if (single === 'ignored' || prefix > 0) return single === 'ignored'
    add(source, from, to, labels)
    return true
  }
  if (labels === 1 && prefix === 0 && single !== 'read') return single === 'ignored'
  if (endsInNumber(source, from, to)) return false
  add(source, from, to, labels)
  return true
}

/** @returns the number of labels; 0 for anything but a name in ASCII */
function foldName(bytes: Uint8Array, start: number, end: number): number {
  if (end <= start || end - start > MAXIMUM_HOST_CHARACTERS) return 0
  let labels = 1
  let labelStart = start
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === DOT) {
      if (at === labelStart || at - labelStart > MAXIMUM_LABEL) return 0
      labelStart = at + 1
      labels++
    } else {
      const folded = FOLDED[byte] as number
      if (folded === 0) return 0
      bytes[at] = folded
    }
  }
  return end === labelStart || end - labelStart > MAXIMUM_LABEL ? 0 : labels
}

/** An internationalised name or an IPv6 address in canonical form. */
function parseUnusual(text: string): string | undefined {
  if (isIP(text) === 6) return parseHost(text)
  return /^[\x20-\x7e]*$/.test(text) || text.includes(':') ? undefined : parseHost(text)
}

function isDottedAddress(bytes: Buffer, start: number, end: number): boolean {
  return isDigit(bytes[end - 1] as number) && isIPv4(bytes.toString('latin1', start, end))
}

/** Whether the last label is a number: a URL parser reads such a name as an address. */
function endsInNumber(bytes: Uint8Array, start: number, end: number): boolean {
  let at = end
  while (at > start && isDigit(bytes[at - 1] as number)) at--
  return at < end && (at === start || bytes[at - 1] === DOT)
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

export function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && BLANK[bytes[at] as number] === 1) at++
  return at
}

/** Where blanks at the end of a line begin. */
export function trimBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = end
  while (at > start && BLANK[bytes[at - 1] as number] === 1) at--
  return at
}

/** Where a blank or a comment follows. */
export function tokenEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && ENDS_TOKEN[bytes[at] as number] === 0) at++
  return at
}

/** The offset of a byte, or `end`. */
export function indexOfByte(bytes: Uint8Array, byte: number, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] !== byte) at++
  return at
}

/** Whether these bytes are next. */
export function isNext(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): boolean {
  if (end - start < wanted.length) return false
  for (let index = 0; index < wanted.length; index++) if (bytes[start + index] !== wanted[index]) return false
  return true
}
