// Lists for ad blockers. Of their rules, those about a whole host are entries: `||name^`, and `@@||name^` for an exception. Rules
// with modifiers, about parts of pages or of addresses are skipped as a whole: their host alone would stop too much.
import type { AddName, LineResult, ListEntries } from './entries.ts'
import { DOT, indexOfByte, isNext, NUMBER_SIGN, readName, skipBlanks } from './name.ts'

const ANCHOR = Buffer.from('||')
const EXCEPTION = Buffer.from('@@||')
const CARET = 0x5e
/** Top-level domains, and the most common names below which countries register others. */
const SUFFIX = /^(?:[^.:]+|(?:ac|co|com|edu|gob|gov|gouv|go|mil|ne|net|nom|or|org|sch)\.[a-z]{2})$/

/** Reads a line that begins with `|` or `@@`. */
export function readAdblock(bytes: Buffer, start: number, end: number, entries: ListEntries): LineResult {
  const isException = isNext(bytes, start, end, EXCEPTION)
  if (!isException && !isNext(bytes, start, end, ANCHOR)) return 'skipped'
  const from = start + (isException ? EXCEPTION : ANCHOR).length
  const caret = indexOfByte(bytes, CARET, from, end)
  if (caret === end || bytes[from] === DOT) return 'skipped'
  const after = skipBlanks(bytes, caret + 1, end)
  if (after < end && (after === caret + 1 || bytes[after] !== NUMBER_SIGN)) return 'skipped'
  if (!isException) return readName(bytes, from, caret, 'read', entries.addName) ? 'read' : 'skipped'
  let isExcepted = false
  const except: AddName = (name, first, last, labels) => {
    // It would empty the list, or take a country off it.
    if (labels <= 2 && SUFFIX.test(Buffer.from(name.subarray(first, last)).toString('latin1'))) return
    isExcepted = true
    entries.except(name, first, last, labels)
  }
  return readName(bytes, from, caret, 'malformed', except) && isExcepted ? 'read' : 'skipped'
}

/** The first line of many of them. */
export function isAdblockHead(text: string): boolean {
  return /^\[adblock\b/i.test(text)
}

/** Whether a line is a rule about elements of pages, such as `news.example##.banner`. A comment has white space after `##`. */
export function isCosmetic(text: string): boolean {
  return /^[^#\s]*#(#+[^#\s]|[@?$%]+#)/.test(text)
}

/** Whether a line is no name but may be another rule, about addresses. */
export function isAddressRule(text: string): boolean {
  return /\^\s*$|\$[a-z~]|^\S*[*^]\S*$/.test(text)
}
