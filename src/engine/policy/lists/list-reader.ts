// Reads the lines of a list, from a file or a download, and finds what it is if it is none.
import { ADBLOCK, formatOf, isAdblockRule } from '../file-format.ts'
import type { ListFormat } from './domain-list.ts'
import { createLineReader, type LineReader, MAXIMUM_LINE_BYTES } from './line-reader.ts'
import { type AddName, readLine } from './list-line.ts'

export interface MalformedLines {
  /** The number of lines that are not well-formed, and the first ten: `line 7`. */
  readonly invalid: number
  readonly firstInvalid: readonly string[]
  /** What it appears to be, unless it is a list; worded to follow `it is`. */
  readonly fileFormat: string | undefined
}

export interface ListReader extends LineReader {
  malformed(): MalformedLines
}

const NAMED_LINES = 10
/** Of the malformed ones, which show whether it is a list for ad blockers. */
const COMPARED_LINES = 1000

/** The first bytes that it handles show the format: they must not be too few. */
export function createListReader(format: ListFormat, add: AddName): ListReader {
  let invalid = 0
  let rules = 0
  const firstInvalid: string[] = []
  const lines = createLineReader((bytes, start, end, number) => {
    if (end - start < MAXIMUM_LINE_BYTES && readLine(bytes, start, end, format, add)) return
    invalid++
    if (invalid <= COMPARED_LINES && isAdblockRule(bytes.toString('latin1', start, end))) rules++
    if (firstInvalid.length === NAMED_LINES) return
    // Never what it says: a user who updates lists can link to a file that only the engine may read.
    firstInvalid.push(`line ${number}`)
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
      const isAdblock = 2 * rules > Math.min(invalid, COMPARED_LINES)
      return { invalid, firstInvalid, fileFormat: beginning?.format ?? (isAdblock ? ADBLOCK : undefined) }
    },
  }
}

/** Why it is no list, worded to follow its path: an error page, for example, must not replace one. */
export function contentRejection(names: number, lines: MalformedLines): string | undefined {
  if (names > 0 && lines.invalid <= names) return undefined
  if (lines.fileFormat !== undefined) return `must be a list of names; it is ${lines.fileFormat}`
  if (names > 0) return `must have more names than malformed lines; it has ${names}, and ${malformedLines(lines)}`
  return `must have at least one name; it has none${lines.invalid > 0 ? `, and ${malformedLines(lines)}` : ''}`
}

/** `12 malformed lines: line 7, …`. */
export function malformedLines({ invalid, firstInvalid, fileFormat }: MalformedLines): string {
  const more = invalid > firstInvalid.length ? ', …' : ''
  const lines = `${invalid} malformed ${invalid === 1 ? 'line' : 'lines'}: ${firstInvalid.join(', ')}${more}`
  return fileFormat === undefined ? lines : `${lines}; it appears to be ${fileFormat}`
}
