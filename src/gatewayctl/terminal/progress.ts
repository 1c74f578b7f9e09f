// A progress line on a terminal; nothing in a pipe.

const INTERVAL_MS = 100
const CLEAR_LINE = '\r\x1b[K'

export interface Progress {
  /** Replaces the text, at most ten times per second. */
  show(text: string): void
  /** Clears the line. */
  clear(): void
}

export function startProgress(stream: NodeJS.WriteStream, wanted = true): Progress {
  let shownAt: number | undefined
  if (!stream.isTTY || !wanted) return { show() {}, clear() {} }
  return {
    show(text) {
      if (shownAt !== undefined && performance.now() - shownAt < INTERVAL_MS) return
      shownAt = performance.now()
      stream.write(`${CLEAR_LINE}${text.slice(0, (stream.columns || 80) - 1)}`)
    },
    clear() {
      if (shownAt !== undefined) stream.write(CLEAR_LINE)
    },
  }
}
