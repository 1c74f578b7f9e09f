// Closes what a test started: a test's context, or `{ after }` of a suite or a file.
export interface Cleanup {
  after(close: () => Promise<unknown>): void
}

/** Closes what was started last first; a test's context does it the other way round. */
export function inReverse(t: Cleanup): Cleanup {
  const closing: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const close of closing) await close()
  })
  return { after: (close) => void closing.unshift(close) }
}
