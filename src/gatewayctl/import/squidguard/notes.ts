// What an import leaves out or changes, by the lines of the configuration.

export interface Notes {
  /** The same text is written once, with all of its lines. */
  add(line: number, text: string): void
  /** `line 12: …`, `lines 3, 9: …`; in the order of their first lines. */
  texts(): readonly string[]
}

export function createNotes(): Notes {
  const lines = new Map<string, Set<number>>()
  return {
    add(line, text) {
      const known = lines.get(text) ?? new Set()
      lines.set(text, known.add(line))
    },
    texts() {
      return [...lines]
        .map(([text, found]) => ({ text, found: [...found].toSorted((one, other) => one - other) }))
        .toSorted((one, other) => (one.found[0] ?? 0) - (other.found[0] ?? 0))
        .map(({ text, found }) => `${found.length === 1 ? 'line' : 'lines'} ${found.join(', ')}: ${text}`)
    },
  }
}
