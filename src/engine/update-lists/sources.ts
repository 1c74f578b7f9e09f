// lists.conf: the name of a file and its https address a line; # begins a comment.
import { escaped } from '../../settings/shown.ts'

/** A line, or several for the same file. */
export interface Source {
  /** For messages. */
  readonly name: string
  readonly url: URL | undefined
  /** Worded to follow the name. */
  readonly problem: string | undefined
}

/** @param text may be as editors of Windows write it: with a mark at its beginning, and CR LF */
export function parseSources(text: string): readonly Source[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  const byName = Map.groupBy(
    lines.map((line, index) => ({ words: line.trim().split(/\s+/), number: index + 1 })),
    ({ words: [name = ''] }) => name,
  )
  return Array.from(byName).flatMap(([name, [first, ...others]]) => {
    if (first === undefined || name === '' || name.startsWith('#')) return []
    const problem =
      others.length === 0
        ? problemOf(first.words)
        : `lines ${[first, ...others].map(({ number }) => number).join(', ')} name the same file`
    const url = problem === undefined ? new URL(first.words[1] ?? '') : undefined
    return [{ name: escaped(name.slice(0, 100)), url, problem }]
  })
}

function problemOf([name = '', address = '', rest = '#']: readonly string[]): string | undefined {
  // A name that begins with a dot may be that of an unfinished file.
  if (!/^[\w-][\w.-]{0,99}$/.test(name)) return 'the name must be letters, digits, ".", "_" and "-"'
  if (!address.startsWith('https://') || !URL.canParse(address)) return 'the address must begin with https://'
  return rest.startsWith('#') ? undefined : 'there is more than a name and an address'
}
