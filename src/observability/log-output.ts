// Standard output for the log's lines. Whoever reads it may stand still or be gone, and the disk behind it may be full: no
// page waits for that, and the process neither hangs nor ends. What finds no room is counted, and said later.
import { write, writeSync } from 'node:fs'

export interface LogOutput {
  /** @param line with its line feed */
  write(line: string): void
  /** At the end of the process: writes what is left, as far as anybody takes it. */
  finish(): void
}

const STANDARD_OUTPUT = 1
// Lines go out together, after this many milliseconds at the latest.
const LONGEST_DELAY = 100
const TOGETHER_BYTES = 3584
// Several processes may write into one pipe: only what is not longer comes out in one piece (POSIX, PIPE_BUF).
const LONGEST_WRITE = 4096
/** What waits for a reader; some ten thousand lines. */
const MOST_BYTES = 4 * 1024 * 1024
/** A write that takes longer has found nobody who reads. */
const PATIENCE = 1_000
/** What a write needs that has begun. */
const MOMENT = 5
const SLEEP = new Int32Array(new SharedArrayBuffer(4))

/** @param onLost told how many lines were lost, once there is room again */
export function createLogOutput(onLost: (lines: number) => void): LogOutput {
  let open = ''
  let openBytes = 0
  const waiting: string[] = []
  /** What was begun to be written, and has not been taken yet. */
  let begun: Buffer | undefined
  let writingSince: number | undefined
  let heldBytes = 0
  let lost = 0

  function closePiece(): void {
    if (open !== '') waiting.push(open)
    open = ''
    openBytes = 0
    writeNext()
  }

  /** On a thread of Node's, because only that may be held up. */
  function writeNext(): void {
    if (writingSince !== undefined) return
    const text = begun === undefined ? waiting.shift() : ''
    if (text === undefined) return
    const bytes = begun ?? Buffer.from(text)
    begun = bytes
    writingSince = performance.now()
    write(STANDARD_OUTPUT, bytes, (error, written) => {
      writingSince = undefined
      // Tried again in a while.
      if (error !== null) return
      heldBytes -= written
      begun = written < bytes.length ? bytes.subarray(written) : undefined
      if (lost > 0) reportLost()
      writeNext()
    })
  }

  function reportLost(): void {
    const lines = lost
    lost = 0
    onLost(lines)
  }

  setInterval(closePiece, LONGEST_DELAY).unref()

  return {
    write(line) {
      const bytes = Buffer.byteLength(line)
      if (heldBytes + bytes > MOST_BYTES) {
        lost++
        return
      }
      if (openBytes + bytes > LONGEST_WRITE) closePiece()
      open += line
      openBytes += bytes
      heldBytes += bytes
      if (openBytes >= TOGETHER_BYTES) closePiece()
    },
    finish() {
      if (writingSince !== undefined) {
        Atomics.wait(SLEEP, 0, 0, MOMENT)
        if (performance.now() - writingSince > PATIENCE) return
      }
      const rest = writingSince === undefined && begun !== undefined ? [begun] : []
      // Piece by piece: each is of whole lines.
      const pieces = [...rest, ...[...waiting, open].map((text) => Buffer.from(text))]
      const until = performance.now() + PATIENCE
      pieces.every((piece) => isWritten(piece, until))
    },
  }
}

function isWritten(piece: Buffer, until: number): boolean {
  for (let at = 0; at < piece.length; ) {
    try {
      at += writeSync(STANDARD_OUTPUT, piece, at)
    } catch (error) {
      // Somebody has made it a pipe that does not wait.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) return false
      Atomics.wait(SLEEP, 0, 0, MOMENT)
    }
  }
  return true
}
