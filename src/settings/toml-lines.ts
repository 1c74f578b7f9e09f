// Finds the line of a key in a TOML file; the TOML parser does not report it.

export type FindLine = (path: readonly PropertyKey[]) => number | undefined

interface Block {
  /** `rules`, or empty for what comes before the first header. */
  readonly header: string
  readonly isArray: boolean
  readonly line: number
  /** The lines of keys. */
  readonly keys: Map<string, number>
}

/**
 * Finds keys of tables (`[control]`) and of arrays of tables (`[[rules]]`) that are written in the usual way, with a header
 * and a key on lines of their own. Otherwise the line of the header, or undefined.
 */
export function tomlLines(text: string): FindLine {
  const blocks: Block[] = [{ header: '', isArray: false, line: 0, keys: new Map() }]
  let isInText: string | undefined
  text.split('\n').forEach((line, index) => {
    if (isInText === undefined) readLine(line, index + 1, blocks)
    // Multi-line strings may contain what looks like a header. An odd number of quotes begins or ends one.
    for (const quotes of ['"""', "'''"]) {
      if ((isInText ?? quotes) === quotes && line.split(quotes).length % 2 === 0)
        isInText = isInText ? undefined : quotes
    }
  })
  const byHeader = Map.groupBy(blocks, ({ header, isArray }) => headerKey(header, isArray))
  return ([first = '', second, third]) => {
    const found = byHeader.get(headerKey(String(first), typeof second === 'number')) ?? []
    const [block] = found
    if (typeof second === 'number') return found[second]?.keys.get(String(third)) ?? found[second]?.line
    const key = found.map(({ keys }) => keys.get(String(second))).find((line) => line !== undefined)
    return key ?? block?.line ?? blocks[0]?.keys.get(String(first))
  }
}

function headerKey(header: string, isArray: boolean): string {
  return `${isArray ? '[[' : '['}${header}`
}

/** A whole one: with parts of it, a long name would be tried as often as it has characters. */
const NAME = /"?([\w-]+)(?![\w-])"?/.source
const HEADER_LINE = new RegExp(`^\\s*(\\[\\[?)\\s*${NAME}(?:\\s*\\.\\s*${NAME})?[^\\]]*\\]\\]?\\s*(?:#.*)?$`)
const KEY_LINE = new RegExp(`^\\s*${NAME}\\s*[.=]`)

function readLine(line: string, number: number, blocks: Block[]): void {
  const [, brackets, header = '', below] = HEADER_LINE.exec(line) ?? []
  if (brackets !== undefined && (below === undefined || blocks.at(-1)?.header !== header)) {
    const keys = new Map(below === undefined ? [] : [[below, number]])
    blocks.push({ header, isArray: brackets === '[[', line: number, keys })
    return
  }
  const [, key = below] = KEY_LINE.exec(line) ?? []
  const keys = blocks.at(-1)?.keys
  if (key !== undefined && keys?.has(key) === false) keys.set(key, number)
}
