// Loads the lists of a policy: keeps those whose files are unchanged, and those whose new content is rejected.
import { readFingerprint } from '../file-fingerprint.ts'
import type { DomainList } from './domain-list.ts'
import { type ListThread, malformedLines, rejectionOf, startListThread } from './load-lists.ts'
import { NameTable } from './name-table.ts'

export interface LoadedLists {
  /** Rejected lists without earlier content to fall back on. */
  readonly missing: readonly string[]
  /** Lists whose new content was rejected: their previous content stays. */
  readonly rejected: readonly string[]
  readonly warnings: readonly string[]
  readonly states: ReadonlyMap<string, ListState>
  /** The state in which each file was read, by path. */
  readonly fingerprints: ReadonlyMap<string, string>
  readonly milliseconds: number
}

export interface ListLoader {
  /** These files are being changed: gets ready to read those that are lists. */
  prepare(paths: readonly string[]): void
  /** Sets the tables of these lists. @param acceptLosses whether a list may lose half of its names */
  load(lists: readonly DomainList[], acceptLosses: boolean): Promise<LoadedLists>
  /** The loaded lists come into force: frees the others. */
  accept(loaded: LoadedLists): void
  close(): void
}

/** How long a thread waits for the change that it was started for. */
const READY_MS = 5000

/** What is known about a list's file. */
interface ListState {
  /** Path and format: a list with the same name but another file is another one. */
  readonly source: string
  readonly table: NameTable
  /** SHA-256 of the content that is in force. */
  readonly digest: string
  /** The state of the file when it was last read, and why that content was rejected. */
  readonly fingerprint: string
  readonly rejection: string | undefined
}

export function createListLoader(): ListLoader {
  let inForce: ReadonlyMap<string, ListState> = new Map()
  let paths: ReadonlySet<string> = new Set()
  let ready: { readonly thread: ListThread; readonly timer: NodeJS.Timeout } | undefined

  function takeThread(): ListThread {
    const { thread = startListThread(), timer } = ready ?? {}
    clearTimeout(timer)
    ready = undefined
    return thread
  }

  return {
    prepare(changing) {
      if (ready !== undefined || !changing.some((path) => paths.has(path))) return
      ready = { thread: startListThread(), timer: setTimeout(() => takeThread().end(), READY_MS).unref() }
    },
    close() {
      if (ready !== undefined) takeThread().end()
    },
    async load(lists, acceptLosses) {
      const startedAt = performance.now()
      const fingerprints = new Map<string, string>()
      for (const { path } of lists) fingerprints.set(path, await readFingerprint(path))
      const sourceOf = ({ path, format }: DomainList) => `${format} ${path}`
      const known = (list: DomainList) => {
        const state = inForce.get(list.name)
        return state?.source === sourceOf(list) ? state : undefined
      }
      const isRead = (list: DomainList) => {
        const { fingerprint, rejection } = known(list) ?? {}
        return fingerprint === fingerprints.get(list.path) && !(acceptLosses && rejection !== undefined)
      }
      const changed = lists.filter((list) => !isRead(list))
      const jobs = changed.map(({ path, format }) => ({ path, format }))
      const readings = jobs.length === 0 ? [] : await takeThread().read(jobs)

      const missing: string[] = []
      const warnings: string[] = []
      const now = new Map<string, ListState>()
      for (const list of lists) {
        const before = known(list)
        const reading = readings[changed.indexOf(list)]
        if (reading === undefined) {
          if (before !== undefined) now.set(list.name, before)
          continue
        }
        const fingerprint = 'fingerprint' in reading ? reading.fingerprint : String(fingerprints.get(list.path))
        fingerprints.set(list.path, fingerprint)
        const rejection = rejectionOf(reading, acceptLosses ? 0 : (before?.table.size ?? 0))
        if (rejection !== undefined || 'fault' in reading) {
          if (before === undefined) missing.push(`${spell(list)} ${rejection}`)
          else now.set(list.name, { ...before, fingerprint, rejection })
          continue
        }
        if (reading.invalid > 0) warnings.push(`${spell(list)} has ${malformedLines(reading)}`)
        const table = new NameTable(reading.table)
        now.set(list.name, { source: sourceOf(list), table, digest: reading.digest, fingerprint, rejection: undefined })
      }
      for (const list of lists) list.table = now.get(list.name)?.table
      const rejected = lists.flatMap((list) => {
        const rejection = now.get(list.name)?.rejection
        return rejection === undefined ? [] : [`${spell(list)} ${rejection}`]
      })
      return {
        missing,
        rejected,
        warnings,
        states: now,
        fingerprints,
        milliseconds: Math.round(performance.now() - startedAt),
      }
    },
    accept({ states, fingerprints }) {
      const before = inForce
      inForce = states
      paths = new Set(fingerprints.keys())
      const used = new Set([...inForce.values()].map(({ table }) => table))
      for (const { table } of before.values()) {
        // Each in a separate turn of the event loop: it takes about a millisecond per million names.
        if (!used.has(table)) setImmediate(() => table.free())
      }
    },
  }
}

function spell({ place, path }: DomainList): string {
  return `${place}: ${path}`
}
