// Rows about a person, from several tables, in pages: each continues after the last row of the one before.

/** Where a page ended: a part, and the key of its last row. */
export interface Position<Part extends string> {
  readonly part: Part
  /** Undefined at the part's beginning. */
  readonly key: RowKey | undefined
}

/** The values that its rows are ordered by. */
export type RowKey = readonly (string | number)[]

export interface PagedPart<Row> {
  /** In the order of their keys. */
  read(after: RowKey | undefined, limit: number): Promise<readonly Row[]>
  keyOf(row: Row): RowKey
}

const MAXIMUM_VALUES = 3
const MAXIMUM_CHARACTERS = 1000

export interface Page<Part extends string, Row> {
  readonly rows: ReadonlyMap<Part, readonly Row[]>
  /** Undefined at the end. */
  readonly next: Position<Part> | undefined
}

/** At most `limit` rows, of one part after the other. */
export async function readPage<Part extends string, Row>(
  parts: ReadonlyMap<Part, PagedPart<Row>>,
  from: Position<Part> | undefined,
  limit: number,
): Promise<Page<Part, Row>> {
  const rows = new Map<Part, readonly Row[]>()
  let room = limit
  let key = from?.key
  let isReached = from === undefined
  for (const [name, part] of parts) {
    isReached ||= name === from?.part
    if (!isReached) continue
    const found = await part.read(key, room + 1)
    const shown = found.slice(0, room)
    rows.set(name, shown)
    if (found.length > room) {
      const last = shown.at(-1)
      return { rows, next: { part: name, key: last === undefined ? key : part.keyOf(last) } }
    }
    room -= shown.length
    key = undefined
  }
  return { rows, next: undefined }
}

/** For the call's `next`. */
export function positionText({ part, key = [] }: Position<string>): string {
  return Buffer.from(JSON.stringify([part, ...key])).toString('base64url')
}

/** Undefined for what `positionText` does not write. */
export function parsePosition<Part extends string>(text: string, parts: readonly Part[]): Position<Part> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text.slice(0, MAXIMUM_CHARACTERS), 'base64url').toString())
    if (!Array.isArray(value) || value.length > MAXIMUM_VALUES) return undefined
    const [name, ...key] = value
    const part = parts.find((one) => one === name)
    if (part === undefined || !key.every(isKeyValue)) return undefined
    return { part, key: key.length === 0 ? undefined : key }
  } catch {
    return undefined
  }
}

function isKeyValue(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
