// Reads the lines of a list, from a file or a download, and finds what it is if it is none.
import { ADBLOCK, formatOf } from '../file-format.ts'
import type { ListFormat } from './domain-list.ts'
import type { ListEntries } from './formats/entries.ts'
import { readPlainName } from './formats/name.ts'
import { createLineReader, type LineReader, MAXIMUM_LINE_BYTES } from './line-reader.ts'
import { createLineParser } from './list-line.ts'

export interface MalformedLines {
  /** The number of lines that are not well-formed, and the first ten: `line 7`. */
  readonly invalid: number
  readonly firstInvalid: readonly string[]
  /** The number of well-formed lines that are about no whole host or URL. */
  readonly skipped: number
  /** A line that covers every host. */
  readonly everything: string | undefined
  /** What it appears to be, unless it is a list; worded to follow `it is`. */
  readonly fileFormat: string | undefined
}

export interface ListReader extends LineReader {
  malformed(): MalformedLines
}

const NAMED_LINES = 10

/**
 * The first bytes that it handles show the format: they must not be too few.
 * @param file what precedes the numbers of lines: `urls: `
 */
export function createListReader(format: ListFormat, entries: ListEntries, file = ''): ListReader {
  const malformed = { count: 0, first: [] as number[] }
  const rules = { count: 0, first: [] as number[] }
  let skipped = 0
  let everything: number | undefined
  const parser = createLineParser(format, entries)
  const { addName } = entries
  const lines = createLineReader((bytes, start, end, number) => {
    if (format !== 'hosts' && readPlainName(bytes, start, end, addName)) return
    const result = end - start < MAXIMUM_LINE_BYTES ? parser.parse(bytes, start, end) : 'malformed'
    if (result === 'read') return
    if (result === 'skipped') skipped++
    else if (result === 'everything') everything ??= number
    else {
      const counted = result === 'rule' ? rules : malformed
      counted.count++
      // Never what it says: a user who updates lists can link to a file that only the engine may read.
      if (counted.first.length < NAMED_LINES) counted.first.push(number)
    }
  })
  let beginning: { readonly format: string | undefined } | undefined
  return {
    space: lines.space,
    advance(count) {
      beginning ??= { format: formatOf(lines.space().subarray(0, count)) }
      lines.advance(count)
    },
    finish: lines.finish,
    malformed() {
      const { hasRules } = parser
      const first = hasRules ? malformed.first : [...malformed.first, ...rules.first].sort((one, two) => one - two)
      return {
        invalid: malformed.count + (hasRules ? 0 : rules.count),
        firstInvalid: first.slice(0, NAMED_LINES).map((number) => `${file}line ${number}`),
        skipped: skipped + (hasRules ? rules.count : 0),
        everything: everything === undefined ? undefined : `${file}line ${everything}`,
        fileFormat: beginning?.format === ADBLOCK ? undefined : beginning?.format,
      }
    },
  }
}

/** Of a list in several files. */
export function joinMalformed([first, ...others]: readonly [MalformedLines, ...MalformedLines[]]): MalformedLines {
  return others.reduce(
    (all, one) => ({
      invalid: all.invalid + one.invalid,
      firstInvalid: [...all.firstInvalid, ...one.firstInvalid].slice(0, NAMED_LINES),
      skipped: all.skipped + one.skipped,
      everything: all.everything ?? one.everything,
      fileFormat: all.fileFormat ?? one.fileFormat,
    }),
    first,
  )
}

/** Why it is no list, worded to follow its path: an error page, for example, must not replace one. */
export function contentRejection(entries: number, lines: MalformedLines): string | undefined {
  if (lines.everything !== undefined) return `must not cover every host; ${lines.everything} does`
  if (entries > 0 && lines.invalid <= entries) return undefined
  if (lines.fileFormat !== undefined) return `must be a list of names; it is ${lines.fileFormat}`
  const faults = [
    ...(lines.invalid > 0 ? [malformedLines(lines)] : []),
    ...(lines.skipped > 0 ? [skippedLines(lines)] : []),
  ].join(', ')
  if (entries > 0) return `must have more names than malformed lines; it has ${entries}, and ${faults}`
  return `must have at least one name; it has none${faults === '' ? '' : `, and ${faults}`}`
}

/** `12 malformed lines: line 7, …`. */
export function malformedLines({ invalid, firstInvalid, fileFormat }: MalformedLines): string {
  const more = invalid > firstInvalid.length ? ', …' : ''
  const lines = `${invalid} malformed ${invalid === 1 ? 'line' : 'lines'}: ${firstInvalid.join(', ')}${more}`
  return fileFormat === undefined ? lines : `${lines}; it appears to be ${fileFormat}`
}

/** `1200 lines that name no whole host`. */
export function skippedLines({ skipped }: MalformedLines): string {
  return `${skipped} ${skipped === 1 ? 'line that names' : 'lines that name'} no whole host`
}
