// Reads lists in a separate thread, and decides which of them may come into force.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { halfLost } from '../losses.ts'
import { LIST_KEY, type ListSource } from './domain-list.ts'
import type { HashKey } from './name-hash.ts'
import type { ReadList } from './read-list.ts'

export interface ListJobs {
  readonly key: HashKey
  readonly jobs: readonly Pick<ListSource, 'path' | 'format'>[]
}

/** A thread that reads lists once. */
export interface ListThread {
  /** Reads these lists, one after the other. @throws {Error} when the thread fails */
  read(jobs: ListJobs['jobs']): Promise<readonly ListReading[]>
  /** Ends a thread that is not needed. */
  end(): void
}

export type ListReading = ReadList | { /** Why it could not be read. */ readonly fault: string }

const PROGRAM = new URL(`./list-worker${extname(import.meta.url)}`, import.meta.url)

/** For every file of the policy. */
export const MUST_NOT_CHANGE = 'must not change while it is read; it did. Write it elsewhere, then rename it'

/** Starting takes a tenth of a second: the thread can be started before the lists to read are known. */
export function startListThread(): ListThread {
  const worker = new Worker(PROGRAM, { name: 'lists' })
  const readings = new Promise<readonly ListReading[]>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that reads lists ended too early')))
  })
  // Reported by `read`.
  readings.catch(() => {})
  return {
    async read(jobs) {
      worker.postMessage({ key: LIST_KEY, jobs } satisfies ListJobs)
      return await readings
    },
    end: () => void worker.terminate(),
  }
}

/**
 * Why a list is rejected, worded to follow its path; undefined where it may come into force. A download that failed, an
 * error page for example, must not open everything.
 * @param before the number of names that it must not lose half of
 */
export function rejectionOf(reading: ListReading, before: number): string | undefined {
  if ('fault' in reading) return `must be a file that can be read; ${reading.fault}`
  const names = reading.table.hashes.byteLength / 8
  const { invalid, changed } = reading
  if (changed) return MUST_NOT_CHANGE
  if (names === 0)
    return `must have at least one name; it has none${invalid > 0 ? `, and ${malformedLines(reading)}` : ''}`
  if (invalid > names)
    return `must have more names than malformed lines; it has ${names}, and ${malformedLines(reading)}`
  return halfLost('its names', names, before)
}

/** `3 malformed lines: line 7: "<html>", …`. */
export function malformedLines({ invalid, firstInvalid }: Pick<ReadList, 'invalid' | 'firstInvalid'>): string {
  const more = invalid > firstInvalid.length ? ', …' : ''
  return `${invalid} malformed ${invalid === 1 ? 'line' : 'lines'}: ${firstInvalid.join(', ')}${more}`
}
