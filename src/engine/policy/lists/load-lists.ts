// Reads lists in a separate thread, and decides which of them may come into force.
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { halfLost, lostToExceptions, REMEDY } from '../reload/losses.ts'
import { LIST_KEY, type SourceFiles } from './domain-list.ts'
import type { TooManyNames } from './list-collector.ts'
import { contentRejection } from './list-reader.ts'
import { hashesIn } from './list-table.ts'
import { type ListsMemory, tooManyNames } from './lists-memory.ts'
import type { HashKey } from './name-hash.ts'
import type { ReadList } from './read-list.ts'

export interface ListJob extends SourceFiles {
  readonly key: HashKey
  /** The most names that the list may have. */
  readonly maximum: number
}

/** A thread that reads one list at a time. */
export interface ListThread {
  /** @throws {Error} when the thread fails */
  read(job: Omit<ListJob, 'key'>): Promise<ListReading>
  end(): void
}

export type ListReading = ReadList | TooManyNames | { readonly kind: 'unreadable'; readonly reason: string }

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
    async read({ path, urls, member, format, maximum }) {
      worker.postMessage({ key: LIST_KEY, path, urls, member, format, maximum } satisfies ListJob)
      const [reading] = await Promise.race([once(worker, 'message'), failure])
      return reading
    },
    end: () => void worker.terminate(),
  }
}

/** What a list has that is in force; a `ListTable` has it. */
export interface ListSize {
  /** The number of names, networks and URLs. */
  readonly size: number
  /** Copies by earlier versions do not have the exceptions. */
  readonly counts: { readonly urls: number; readonly exceptions?: number | undefined }
}

/**
 * Why a list is rejected, worded to follow its path; undefined where it may come into force. A download that failed, an
 * error page for example, must not open everything; nor must one that is another list, or was tampered with, block it.
 * @param memory what is left for the list
 * @param before the list that is in force, or its copy; undefined where there is none, or where losses are accepted
 */
export function rejectionOf(
  reading: ListReading,
  memory: ListsMemory,
  before: ListSize | undefined,
): string | undefined {
  if (reading.kind === 'unreadable') return `must be a file that can be read; ${reading.reason}`
  if (reading.kind === 'too many names') return tooManyNames(reading.names, memory)
  const { urls = 0, networks = 0, exceptions = 0 } = reading.further ?? {}
  const entries = hashesIn(reading.table) + networks + urls
  if (reading.changed) return MUST_NOT_CHANGE
  const rejection = contentRejection(entries, reading)
  if (rejection !== undefined || before === undefined) return rejection
  if (entries > Math.max(10 * before.size, SMALL_LIST)) {
    return `must not grow more than tenfold; it has ${entries} names, and the last accepted one ${before.size}. ${REMEDY}`
  }
  const accepted = { names: before.size, exceptions: before.counts.exceptions ?? exceptions }
  return (
    halfLost('its names', entries, before.size) ??
    halfLost('its URLs', urls, before.counts.urls) ??
    lostToExceptions({ names: entries, exceptions }, accepted)
  )
}
