// Writes log lines to standard output or error without blocking: the reader may stall or exit, and the disk may be full, but
// pages are still served. Lines beyond the buffer are dropped and counted, and the count is logged later. Not by
// `pino.destination`: at exit it repeats a write that fails because of a full disk, or without a reader, until SIGKILL.
import { fstatSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

export interface LogOutput {
  /** @param line with its line feed */
  write(line: string): void
  /** At process exit: writes the buffered lines while the reader accepts them. */
  finish(): void
}

const STANDARD_OUTPUT = 1
export const STANDARD_ERROR = 2
/** Lines are written in batches, at the latest after this time: a write takes as much CPU time as a page. */
const MAXIMUM_DELAY_MS = 100
/** As much as an empty pipe accepts in one write. */
const BATCH_BYTES = 64 * 1024
/** Maximum size of the buffer: about ten thousand lines. */
const MAXIMUM_BUFFER_BYTES = 4 * 1024 * 1024
/** After this time, a write is considered stalled. */
const WRITE_TIMEOUT_MS = 1_000
const RETRY_DELAY_MS = 5
const SLEEP = new Int32Array(new SharedArrayBuffer(4))

/** @param onLost called with the number of dropped lines once writing works again */
export function createLogOutput(onLost: (lines: number) => void, descriptor = STANDARD_OUTPUT): LogOutput {
  let batch = ''
  let batchBytes = 0
  const waiting: string[] = []
  /** The rest of a partial or failed write. */
  let current: Buffer | undefined
  let writingSince: number | undefined
  let bufferedBytes = 0
  let dropped = 0
  neverBlock(descriptor)

  function closeBatch(): void {
    if (batch !== '') waiting.push(batch)
    batch = ''
    batchBytes = 0
    writeNext()
  }

  /** Asynchronous, because a disk may be slow. */
  function writeNext(): void {
    if (writingSince !== undefined) return
    const text = current === undefined ? waiting.shift() : ''
    if (text === undefined) return
    const bytes = current ?? Buffer.from(text)
    current = bytes
    writingSince = performance.now()
    write(descriptor, bytes, (error, written) => {
      writingSince = undefined
      // Retried with the next batch.
      if (error !== null) return
      bufferedBytes -= written
      current = written < bytes.length ? bytes.subarray(written) : undefined
      if (dropped > 0) reportLost()
      writeNext()
    })
  }

  function reportLost(): void {
    const lines = dropped
    dropped = 0
    onLost(lines)
  }

  setInterval(closeBatch, MAXIMUM_DELAY_MS).unref()

  return {
    write(line) {
      const bytes = Buffer.byteLength(line)
      if (bufferedBytes + bytes > MAXIMUM_BUFFER_BYTES) {
        dropped++
        return
      }
      batch += line
      batchBytes += bytes
      bufferedBytes += bytes
      if (batchBytes >= BATCH_BYTES) closeBatch()
    },
    finish() {
      if (writingSince !== undefined) {
        Atomics.wait(SLEEP, 0, 0, RETRY_DELAY_MS)
        if (performance.now() - writingSince > WRITE_TIMEOUT_MS) return
      }
      const rest = writingSince === undefined && current !== undefined ? [current] : []
      // Batch by batch: each consists of whole lines.
      const batches = [...rest, ...[...waiting, batch].map((text) => Buffer.from(text))]
      const deadline = performance.now() + WRITE_TIMEOUT_MS
      batches.every((batch) => writeNow(descriptor, batch, deadline))
    },
  }
}

/**
 * Lets writes to a pipe or socket fail with EAGAIN while its reader stalls. Otherwise they would block, and with them the
 * exit, which waits for the threads of Node's pool.
 */
function neverBlock(descriptor: number): void {
  const stat = fstatSync(descriptor)
  // Node has no call for it, but does it for the descriptor of a socket. Nothing is sent through this one.
  if (stat.isFIFO() || stat.isSocket()) new Socket({ fd: descriptor, readable: false, writable: false }).unref()
}

/** @returns whether the whole batch was written before the deadline */
function writeNow(descriptor: number, batch: Buffer, deadline: number): boolean {
  for (let at = 0; at < batch.length; ) {
    try {
      at += writeSync(descriptor, batch, at)
    } catch (error) {
      // EAGAIN: the reader stalls.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > deadline) return false
      Atomics.wait(SLEEP, 0, 0, RETRY_DELAY_MS)
    }
  }
  return true
}
