// One line of a list: a name, a URL, the names of a line in hosts format, a rule in another program's format, a comment, or a
// mistake. Works on bytes, because lists have millions of lines.
import { isIP } from 'node:net'
import type { ListFormat } from './domain-list.ts'
import { isAdblockHead, isAddressRule, isCosmetic, readAdblock } from './formats/adblock.ts'
import { readDnsmasq } from './formats/dnsmasq.ts'
import type { AddName, LineResult, ListEntries } from './formats/entries.ts'
import {
  DOT,
  indexOfByte,
  isNext,
  NUMBER_SIGN,
  readName,
  SLASH,
  skipBlanks,
  tokenEnd,
  trimBlanks,
} from './formats/name.ts'
import { createZoneReader } from './formats/response-policy.ts'
import { readUnbound } from './formats/unbound.ts'
import { readUrl } from './formats/url-line.ts'

export interface LineParser {
  /**
   * Adds what a line has that is more than a name, also next to a mistake. Folds names to lower case in place. Lines that are a name
   * are read by the caller: V8 then inlines what most lines need.
   */
  parse(bytes: Buffer, start: number, end: number): LineResult
  /** Whether some of the lines were rules for ad blockers. */
  readonly hasRules: boolean
}

/** What begins a comment at the beginning of a line, in hosts files and in filter lists: # ! ; */
const COMMENT = new Set([NUMBER_SIGN, 0x21, 0x3b])
const BYTE_ORDER_MARK = Buffer.from('\ufeff')
const BAR = 0x7c
const BRACKET = 0x5b
const EXCEPTION = Buffer.from('@@')

export function createLineParser(format: ListFormat, entries: ListEntries): LineParser {
  const { addName } = entries
  const zone = createZoneReader(entries)
  /** Whether the file says that it is for ad blockers: then each line that is no name is one of their rules. */
  let isDeclared = false
  let hasRules = false
  let isInZoneHead = false

  /** Reads any line that is more than a name. */
  function readOther(bytes: Buffer, start: number, end: number): LineResult {
    const first = skipBlanks(bytes, skipMarks(bytes, start, end), end)
    if (first === end) return 'read'
    if (COMMENT.has(bytes[first] as number)) {
      return isDeclared && isCosmetic(bytes.toString('latin1', first, end)) ? 'skipped' : 'read'
    }
    if (format === 'names' || format === 'hosts') return readStrict(bytes, first, end, format, addName)
    const last = trimBlanks(bytes, first, end)
    const result = readAny(bytes, first, last)
    if (result !== 'malformed') return result
    const text = bytes.toString('latin1', first, last)
    if (isDeclared && !/\s/.test(text)) return 'skipped'
    return isAddressRule(text) ? 'rule' : 'malformed'
  }

  function readAny(bytes: Buffer, first: number, end: number): LineResult {
    if (isInZoneHead) return readZone(bytes, first, end)
    if (bytes[first] === BAR || isNext(bytes, first, end, EXCEPTION)) {
      hasRules = true
      return readAdblock(bytes, first, end, entries)
    }
    if (bytes[first] === BRACKET && isAdblockHead(bytes.toString('latin1', first, end))) {
      isDeclared = true
      return 'read'
    }
    const firstEnd = tokenEnd(bytes, first, end)
    const at = skipBlanks(bytes, firstEnd, end)
    if (at < end && bytes[at] !== NUMBER_SIGN) return readSeveral(bytes, first, firstEnd, at, end)
    const dnsmasq = readDnsmasq(bytes, first, end, entries)
    if (dnsmasq !== undefined) return dnsmasq
    if (at === firstEnd && isCosmetic(bytes.toString('latin1', first, end))) return 'skipped'
    const slash = indexOfByte(bytes, SLASH, first, firstEnd)
    if (slash < firstEnd) return readUrl(bytes, first, slash, firstEnd, end, true, entries)
    if (/^server:$/.test(bytes.toString('latin1', first, Math.min(firstEnd, first + 8)))) return 'read'
    // There, `.zip` is a part of an address.
    if (isDeclared && bytes[first] === DOT && indexOfByte(bytes, DOT, first + 1, firstEnd) === firstEnd)
      return 'skipped'
    return readName(bytes, first, firstEnd, 'malformed', addName) ? 'read' : 'malformed'
  }

  /** Reads a line with blanks in it. */
  function readSeveral(bytes: Buffer, first: number, firstEnd: number, second: number, end: number): LineResult {
    const token = bytes.toString('latin1', first, Math.min(firstEnd, first + 64))
    if (isAddress(token)) return readHosts(bytes, second, end, addName)
    if (/^[0-9.]+$/.test(token)) {
      readHosts(bytes, second, end, addName)
      return 'malformed'
    }
    if (isCosmetic(bytes.toString('latin1', first, end))) return 'skipped'
    return readUnbound(bytes, first, end, entries) ?? readZone(bytes, first, end)
  }

  function readZone(bytes: Buffer, first: number, end: number): LineResult {
    const result = zone.read(bytes, first, end) ?? 'malformed'
    isInZoneHead = zone.isInHead
    return result
  }

  return {
    parse: (bytes, start, end) =>
      format === 'urls' ? readUrlLine(bytes, start, end, entries) : readOther(bytes, start, end),
    get hasRules() {
      return hasRules || isDeclared
    },
  }
}

/** Reads a line of the formats that are required: names only, or hosts format only. */
function readStrict(bytes: Buffer, first: number, end: number, format: 'names' | 'hosts', add: AddName): LineResult {
  const firstEnd = tokenEnd(bytes, first, end)
  const at = skipBlanks(bytes, firstEnd, end)
  const isAlone = at === end || bytes[at] === NUMBER_SIGN
  if (format === 'hosts') {
    const isHosts = at < end && isAddress(bytes.toString('latin1', first, firstEnd))
    return isHosts ? readHosts(bytes, at, end, add) : 'malformed'
  }
  if (!isAlone || (at === firstEnd && at < end && isCosmetic(bytes.toString('latin1', first, end)))) return 'malformed'
  const slash = bytes[firstEnd - 1] === SLASH ? 1 : 0
  return readName(bytes, first, firstEnd - slash, 'malformed', add) ? 'read' : 'malformed'
}

/** Reads a line of a file of URLs. */
function readUrlLine(bytes: Buffer, start: number, end: number, entries: ListEntries): LineResult {
  const first = skipBlanks(bytes, skipMarks(bytes, start, end), end)
  if (first === end || COMMENT.has(bytes[first] as number)) return 'read'
  const firstEnd = tokenEnd(bytes, first, end)
  const at = skipBlanks(bytes, firstEnd, end)
  if (at < end && bytes[at] !== NUMBER_SIGN) return 'malformed'
  const slash = indexOfByte(bytes, SLASH, first, firstEnd)
  if (slash < firstEnd) return readUrl(bytes, first, slash, firstEnd, end, false, entries)
  return readName(bytes, first, firstEnd, 'malformed', entries.addName) ? 'read' : 'malformed'
}

/** `'read'` if all of them are well-formed. */
function readHosts(bytes: Buffer, start: number, end: number, add: AddName): LineResult {
  let result: LineResult = 'read'
  for (let at = start; at < end && bytes[at] !== NUMBER_SIGN; ) {
    const next = tokenEnd(bytes, at, end)
    if (!readName(bytes, at, next, 'ignored', add)) result = 'malformed'
    at = skipBlanks(bytes, next, end)
  }
  return result
}

/** Some hosts files write 0 for 0.0.0.0. */
function isAddress(text: string): boolean {
  return text === '0' || isIP(text) !== 0
}

/** Two files joined into one have a mark within it. */
function skipMarks(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (bytes[at] === BYTE_ORDER_MARK[0] && bytes.subarray(at, end).indexOf(BYTE_ORDER_MARK) === 0) {
    at += BYTE_ORDER_MARK.length
  }
  return at
}
