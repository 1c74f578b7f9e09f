// One line of a list: a name, the names of a line in hosts format, a comment, or a mistake. Works on bytes, because lists have
// millions of lines.
import { isIP, isIPv4 } from 'node:net'
import { MAXIMUM_HOST_CHARACTERS, parseHost } from '../../../network/host.ts'
import type { ListFormat } from './domain-list.ts'

/** Called for each name: canonical, in ASCII. */
export type AddName = (bytes: Uint8Array, start: number, end: number, labels: number) => void

const DOT = 0x2e
const ASTERISK = 0x2a
const COLON = 0x3a
const NUMBER_SIGN = 0x23
/** What begins a comment at the beginning of a line, in hosts files and in filter lists: # ! ; */
const COMMENT = new Set([NUMBER_SIGN, 0x21, 0x3b])
/** 1 for space, tab, vertical tab and form feed. */
const BLANK = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0b, 0x0c]) BLANK[byte] = 1
/** 1 for these and #. */
const ENDS_TOKEN = Uint8Array.from(BLANK)
ENDS_TOKEN[NUMBER_SIGN] = 1
const BYTE_ORDER_MARK = Buffer.from('\ufeff')
const MAXIMUM_LABEL = 63

/** The lower-case byte of each byte that may be in a label; 0 for all others. */
const FOLDED = new Uint8Array(256)
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-_') {
  FOLDED[character.charCodeAt(0)] = character.charCodeAt(0)
  FOLDED[character.toUpperCase().charCodeAt(0)] = character.charCodeAt(0)
}

/**
 * Reads the line in `bytes` and adds its names, also those next to a malformed one. Folds names to lower case in place.
 * @returns whether the line is well-formed; a line without names is
 */
export function readLine(bytes: Buffer, start: number, end: number, format: ListFormat, add: AddName): boolean {
  return (format !== 'hosts' && readPlainName(bytes, start, end, add)) || readOther(bytes, start, end, format, add)
}

/** Reads any other line. A separate function, because V8 then inlines what most lines need. */
function readOther(bytes: Buffer, start: number, end: number, format: ListFormat, add: AddName): boolean {
  const first = skipBlanks(bytes, skipMarks(bytes, start, end), end)
  if (first === end || COMMENT.has(bytes[first] as number)) return true
  const firstEnd = tokenEnd(bytes, first, end)
  const at = skipBlanks(bytes, firstEnd, end)
  if (at === end || bytes[at] === NUMBER_SIGN) {
    if (format === 'hosts') return at < end && isAddress(bytes.toString('latin1', first, firstEnd))
    if (at === firstEnd && isSelector(bytes.toString('latin1', at, end))) return false
    return readName(bytes, first, firstEnd, false, add)
  }
  if (format === 'names') return false
  const text = bytes.toString('latin1', first, firstEnd)
  if (isAddress(text)) return readHosts(bytes, at, end, add)
  if (/^[0-9.]+$/.test(text)) readHosts(bytes, at, end, add)
  return false
}

/** @returns whether all of them are well-formed */
function readHosts(bytes: Buffer, start: number, end: number, add: AddName): boolean {
  let isWellFormed = true
  for (let at = start; at < end && bytes[at] !== NUMBER_SIGN; ) {
    const next = tokenEnd(bytes, at, end)
    if (!readName(bytes, at, next, true, add)) isWellFormed = false
    at = skipBlanks(bytes, next, end)
  }
  return isWellFormed
}

/** Some hosts files write 0 for 0.0.0.0. */
function isAddress(text: string): boolean {
  return text === '0' || isIP(text) !== 0
}

/**
 * Whether what follows a name makes it a rule of a filter list about elements of pages, such as `news.example##.banner`: an
 * entry would stop the whole site. A comment has white space after `##`.
 */
function isSelector(text: string): boolean {
  return /^#(#+[^#\s]|[@?$%]+#)/.test(text)
}

/** Reads what most lines are: a name of several labels in ASCII and nothing else. Returns false for any other line. */
function readPlainName(bytes: Buffer, start: number, end: number, add: AddName): boolean {
  const labels = foldName(bytes, start, end)
  if (labels < 2 || isDigit(bytes[end - 1] as number)) return false
  add(bytes, start, end, labels)
  return true
}

/** @param inHosts whether addresses and names of one label are ignored: hosts files begin with some (`localhost`) */
function readName(bytes: Buffer, start: number, end: number, inHosts: boolean, add: AddName): boolean {
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
    if (inHosts || prefix > 0) return inHosts
    add(source, from, to, labels)
    return true
  }
  // A bare word is a mistake or a line of an error page: as an entry it would cover a whole top-level domain.
  if (labels === 1 && prefix === 0) return inHosts
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

function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && BLANK[bytes[at] as number] === 1) at++
  return at
}

/** Two files joined into one have a mark within it. */
function skipMarks(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (bytes[at] === BYTE_ORDER_MARK[0] && bytes.subarray(at, end).indexOf(BYTE_ORDER_MARK) === 0) {
    at += BYTE_ORDER_MARK.length
  }
  return at
}

function tokenEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && ENDS_TOKEN[bytes[at] as number] === 0) at++
  return at
}
