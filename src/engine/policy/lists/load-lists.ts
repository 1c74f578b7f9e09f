// Reads lists in a separate thread, and decides which of them may come into force.
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { halfLost, REMEDY } from '../losses.ts'
import { LIST_KEY, type ListSource } from './domain-list.ts'
import type { HashKey } from './name-hash.ts'
import type { ReadList, TooManyNames } from './read-list.ts'

export interface ListJob extends Pick<ListSource, 'path' | 'format'> {
  readonly key: HashKey
  /** The most names that the list may have. */
  readonly maximum: number
}

/** A thread that reads one list at a time. */
export interface ListThread {
  /** @throws {Error} when the thread fails */
  read(job: Omit<ListJob, 'key'>): Promise<ListReading | TooManyNames>
  end(): void
}

export type ListReading = ReadList | { /** Why it could not be read. */ readonly fault: string }

const PROGRAM = new URL(`./list-worker${extname(import.meta.url)}`, import.meta.url)

/** A list may grow to this many names at once, whatever it had: an editor adds some to a short one. */
const SMALL_LIST = 10_000

/** For every file of the policy. */
export const MUST_NOT_CHANGE = 'must not change while it is read; it did. Write it elsewhere, then rename it'

/** Starting takes a tenth of a second: the thread can be started before the lists to read are known. */
export function startListThread(): ListThread {
  const worker = new Worker(PROGRAM, { name: 'lists' })
  const failure = new Promise<never>((_, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that reads lists ended too early')))
  })
  // Reported by `read`.
  failure.catch(() => {})
  return {
    async read({ path, format, maximum }) {
      worker.postMessage({ key: LIST_KEY, path, format, maximum } satisfies ListJob)
      const [reading] = await Promise.race([once(worker, 'message'), failure])
      return reading
    },
    end: () => void worker.terminate(),
  }
}

/**
 * Why a list is rejected, worded to follow its path; undefined where it may come into force. A download that failed, an
 * error page for example, must not open everything; nor must one that is another list, or was tampered with, block it.
 * @param before the number of names in the list that is in force; undefined where there is none, or where losses are accepted
 */
export function rejectionOf(reading: ListReading, before: number | undefined): string | undefined {
  if ('fault' in reading) return `must be a file that can be read; ${reading.fault}`
  const names = reading.table.hashes.byteLength / 8
  const { invalid, changed, fileFormat } = reading
  if (changed) return MUST_NOT_CHANGE
  if (names === 0 || invalid > names) {
    if (fileFormat !== undefined) return `must be a list of names; it is ${fileFormat}`
    if (names > 0) return `must have more names than malformed lines; it has ${names}, and ${malformedLines(reading)}`
    return `must have at least one name; it has none${invalid > 0 ? `, and ${malformedLines(reading)}` : ''}`
  }
  if (before === undefined) return undefined
  if (names > Math.max(10 * before, SMALL_LIST)) {
    return `must not grow more than tenfold; it has ${names} names, and the last accepted one ${before}. ${REMEDY}`
  }
  return halfLost('its names', names, before)
}

/** `12 malformed lines: line 7, …`. */
export function malformedLines({
  invalid,
  firstInvalid,
  fileFormat,
}: Pick<ReadList, 'invalid' | 'firstInvalid' | 'fileFormat'>): string {
  const more = invalid > firstInvalid.length ? ', …' : ''
  const lines = `${invalid} malformed ${invalid === 1 ? 'line' : 'lines'}: ${firstInvalid.join(', ')}${more}`
  return fileFormat === undefined ? lines : `${lines}; it appears to be ${fileFormat}`
}
