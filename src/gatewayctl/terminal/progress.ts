// One line on a terminal that says how far a long work is; nothing in a pipe.

const INTERVAL = 100
const CLEAR_LINE = '\r\x1b[K'

export interface Progress {
  /** Shows the text instead of the last one, ten times a second at most. */
  show(text: string): void
  /** Takes the line away. */
  clear(): void
}

export function startProgress(stream: NodeJS.WriteStream, wanted = true): Progress {
  let shownAt: number | undefined
  if (!stream.isTTY || !wanted) return { show() {}, clear() {} }
  return {
    show(text) {
      if (shownAt !== undefined && performance.now() - shownAt < INTERVAL) return
      shownAt = performance.now()
      stream.write(`${CLEAR_LINE}${text.slice(0, (stream.columns || 80) - 1)}`)
    },
    clear() {
      if (shownAt !== undefined) stream.write(CLEAR_LINE)
    },
  }
}
