// What an import leaves out or changes, by the lines of the configuration.

export interface Notes {
  /** The same text is written once, with all of its lines. */
  add(line: number, text: string): void
  /** The same for files that cannot be read: without them, the policy would be another one. */
  addMissing(line: number, text: string): void
  /** `line 12: …`, `lines 3, 9: …`; in the order of their first lines. */
  texts(): readonly string[]
  missing(): readonly string[]
}

type Lines = Map<string, Set<number>>

export function createNotes(): Notes {
  const [notes, missing]: [Lines, Lines] = [new Map(), new Map()]
  return {
    add: (line, text) => add(notes, line, text),
    addMissing: (line, text) => add(missing, line, text),
    texts: () => textsOf(notes),
    missing: () => textsOf(missing),
  }
}

function add(lines: Lines, line: number, text: string): void {
  lines.set(text, (lines.get(text) ?? new Set()).add(line))
}

function textsOf(lines: Lines): readonly string[] {
  return [...lines]
    .map(([text, found]) => ({ text, found: [...found].toSorted((one, other) => one - other) }))
    .toSorted((one, other) => (one.found[0] ?? 0) - (other.found[0] ?? 0))
    .map(({ text, found }) => `${found.length === 1 ? 'line' : 'lines'} ${found.join(', ')}: ${text}`)
}
