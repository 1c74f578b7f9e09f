// Loads the lists of a policy: keeps those whose files are unchanged, and those whose new content is rejected.
import { readFingerprint } from '../../../settings/file-fingerprint.ts'
import { type DomainList, filesOf, type ListSource } from './domain-list.ts'
import { buffersOf } from './list-collector.ts'
import { malformedLines, skippedLines } from './list-reader.ts'
import { ListTable } from './list-table.ts'
import { mostNames } from './lists-memory.ts'
import { type ListThread, rejectionOf, startListThread } from './load-lists.ts'
import { NameTable } from './name-table.ts'

export interface LoadedLists {
  /** Those that have content, with it. */
  readonly lists: readonly DomainList[]
  /** Rejected lists without earlier content to fall back on. */
  readonly missing: readonly string[]
  /** Lists whose new content was rejected: their previous content stays. */
  readonly rejected: readonly string[]
  readonly warnings: readonly string[]
  readonly states: ReadonlyMap<string, ListState>
  /** The state in which each file was read, by path. */
  readonly fingerprints: ReadonlyMap<string, string>
  readonly milliseconds: number
  /** Names of lists with new content, which could keep the one in force. */
  readonly updated: readonly string[]
  /** The same, but these lists keep their content in force. @param rejections why, by name, worded to follow the path */
  keeping(rejections: ReadonlyMap<string, string>): LoadedLists
}

export interface ListLoader {
  /** These files are being changed: gets ready to read those that are lists. */
  prepare(paths: readonly string[]): void
  /**
   * Reads those of these lists that are not known as they are.
   * @param megabytes the memory for all of them: `lists_memory_mb`
   * @param acceptLosses whether a list may lose half of its names, or grow more than tenfold
   */
  load(lists: readonly ListSource[], megabytes: number, acceptLosses: boolean): Promise<LoadedLists>
  /** The loaded lists come into force: frees the others. */
  accept(loaded: LoadedLists): void
  /** Those in force stay: frees the others. */
  discard(): void
  close(): void
}

/** How long a thread waits for the change that it was started for. */
const READY_MS = 5000

/** What is known about a list's file. */
interface ListState {
  /** Files and format: a list with the same name but another file is another one. */
  readonly source: string
  readonly table: ListTable
  /** SHA-256 of the content that is in force. */
  readonly digest: string
  /** The state of its files when it was last read; undefined if the next reload reads it in any case. */
  readonly fingerprint: string | undefined
  /** Why the content that was last read was rejected. */
  readonly rejection: string | undefined
}

export function createListLoader(): ListLoader {
  let inForce: ReadonlyMap<string, ListState> = new Map()
  let paths: ReadonlySet<string> = new Set()
  /** Those that have not been freed. */
  const tables = new Set<ListTable>()
  let ready: { readonly thread: ListThread; readonly timer: NodeJS.Timeout } | undefined

  function takeThread(): ListThread {
    const { thread = startListThread(), timer } = ready ?? {}
    clearTimeout(timer)
    ready = undefined
    return thread
  }

  function freeUnused(): void {
    const used = new Set([...inForce.values()].map(({ table }) => table))
    for (const table of tables) {
      if (used.has(table)) continue
      tables.delete(table)
      // Each in a separate turn of the event loop: it takes about a millisecond per million names.
      setImmediate(() => table.free())
    }
  }

  return {
    prepare(changing) {
      if (ready !== undefined || !changing.some((path) => paths.has(path))) return
      ready = { thread: startListThread(), timer: setTimeout(() => takeThread().end(), READY_MS).unref() }
    },
    close() {
      if (ready !== undefined) takeThread().end()
    },
    async load(lists, megabytes, acceptLosses) {
      const startedAt = performance.now()
      const fingerprints = new Map<string, string>()
      for (const path of lists.flatMap(filesOf)) fingerprints.set(path, await readFingerprint(path))
      const read = new Set<string>()
      const known = (list: ListSource) => {
        const state = inForce.get(list.name)
        return state?.source === sourceOf(list) ? state : undefined
      }
      const isRead = (list: ListSource) => {
        const { fingerprint, rejection } = known(list) ?? {}
        return fingerprint === fingerprintIn(fingerprints, list) && !(acceptLosses && rejection !== undefined)
      }
      const missing: string[] = []
      const warnings: string[] = []
      const states = new Map<string, ListState>()
      for (const list of lists) {
        const state = known(list)
        if (state !== undefined) states.set(list.name, state)
      }
      let thread: ListThread | undefined
      try {
        for (const list of lists.filter((one) => !isRead(one))) {
          const before = known(list)
          thread ??= takeThread()
          // The names in force of lists that have not been read yet count, too, because they may stay.
          const memory = { megabytes, namesInOthers: namesIn(states, list.name) }
          const reading = await thread.read({ ...list, maximum: mostNames(memory) })
          const opened = reading.kind === 'list' ? reading.fingerprints : []
          const fingerprint = opened.length > 0 ? opened.join(' ') : fingerprintIn(fingerprints, list)
          for (const [index, path] of filesOf(list).entries()) {
            // Of an archive with several lists, the state of the first reading: a change since then is noticed.
            if (!read.has(path)) fingerprints.set(path, opened[index] ?? String(fingerprints.get(path)))
            read.add(path)
          }
          const rejection = rejectionOf(reading, memory, acceptLosses ? undefined : before?.table)
          if (reading.kind === 'list' && rejection === undefined) {
            if (reading.invalid > 0) warnings.push(`${listLabel(list)} has ${malformedLines(reading)}`)
            if (reading.skipped > 0) warnings.push(`${listLabel(list)} has ${skippedLines(reading)}: they are skipped`)
            const table = new ListTable(reading)
            tables.add(table)
            states.set(list.name, { source: sourceOf(list), table, digest: reading.digest, fingerprint, rejection })
            continue
          }
          if (reading.kind === 'list') for (const table of buffersOf(reading)) new NameTable(table).free()
          if (before === undefined) missing.push(`${listLabel(list)} ${rejection}`)
          else {
            // Next time other lists, or the setting, may leave it more.
            const isTooLarge = reading.kind === 'too many names'
            states.set(list.name, { ...before, fingerprint: isTooLarge ? undefined : fingerprint, rejection })
          }
        }
      } finally {
        thread?.end()
      }
      const milliseconds = Math.round(performance.now() - startedAt)
      const withStates = (states: ReadonlyMap<string, ListState>): LoadedLists => ({
        lists: lists.flatMap((list) => {
          const { table, digest } = states.get(list.name) ?? {}
          return table === undefined || digest === undefined ? [] : [{ ...list, table, digest }]
        }),
        missing,
        rejected: lists.flatMap((list) => {
          const rejection = states.get(list.name)?.rejection
          return rejection === undefined ? [] : [`${listLabel(list)} ${rejection}`]
        }),
        warnings,
        states,
        fingerprints,
        milliseconds,
        updated: lists.flatMap((list) => {
          const before = known(list)
          return before === undefined || before.digest === states.get(list.name)?.digest ? [] : [list.name]
        }),
        keeping(rejections) {
          const kept = lists.flatMap((list) => {
            const [before, rejection] = [known(list), rejections.get(list.name)]
            // Next time another policy may accept what is in the file.
            return before && rejection ? [[list.name, { ...before, fingerprint: undefined, rejection }] as const] : []
          })
          return withStates(new Map([...states, ...kept]))
        },
      })
      return withStates(states)
    },
    accept({ states, fingerprints }) {
      inForce = states
      paths = new Set(fingerprints.keys())
      freeUnused()
    },
    discard: freeUnused,
  }
}

function sourceOf({ path, urls, member, format }: ListSource): string {
  return JSON.stringify([format, path, urls, member])
}

function fingerprintIn(fingerprints: ReadonlyMap<string, string>, list: ListSource): string {
  return filesOf(list)
    .map((path) => fingerprints.get(path))
    .join(' ')
}

/** What all lists but this one need, as a number of names. */
function namesIn(states: ReadonlyMap<string, ListState>, except: string): number {
  return [...states].reduce((sum, [name, { table }]) => sum + (name === except ? 0 : table.hashes), 0)
}

function listLabel({ place, path, member }: ListSource): string {
  return `${place}: ${path}${member === undefined ? '' : ` (${member})`}`
}
