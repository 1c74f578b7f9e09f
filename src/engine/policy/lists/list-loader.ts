// Loads the lists of a policy: keeps those whose files are unchanged, and finds what stands in for those that are rejected:
// what was in force, or a copy of it.
import { readFingerprint } from '../../../settings/file-fingerprint.ts'
import { type DomainList, filesOf, type ListFallback, type ListSource, sourceOf } from './domain-list.ts'
import { buffersOf } from './list-collector.ts'
import type { ListCopies, ListCopy } from './list-copies.ts'
import { malformedLines, skippedLines } from './list-reader.ts'
import { ListTable, NO_ENTRIES } from './list-table.ts'
import { type ListsMemory, mostNames } from './lists-memory.ts'
import { type ListSize, type ListThread, rejectionOf, startListThread } from './load-lists.ts'
import { NameTable } from './name-table.ts'

export interface LoadedLists {
  readonly lists: readonly DomainList[]
  /** Rejected lists without which no policy starts: nothing stands in for them, and they are not optional. */
  readonly missing: readonly string[]
  /** Other lists whose content was rejected: earlier content stands in for it. */
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

export interface ListLoaderOptions {
  /** What stands in for a list that has no content in memory; undefined for nothing. */
  readonly copies: Pick<ListCopies, 'find' | 'pathsOf'> | undefined
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

/** How long a thread waits for the change that it was started for. */
const READY_MS = 5000

/** What is known about a list's file. */
interface ListState {
  readonly source: string
  readonly table: ListTable
  /** Of the content that is in force, as in `DomainList`. */
  readonly digest: string
  readonly fileDigests: readonly string[]
  /** When it came into force, in milliseconds since the epoch. */
  readonly acceptedAt: number
  /** The state of its files when it was last read; undefined if the next reload reads it in any case. */
  readonly fingerprint: string | undefined
  /** Why the content that was last read was rejected. */
  readonly rejection: string | undefined
  /** Undefined where the content of the file is in force. */
  readonly fallback: ListFallback | undefined
}

type Content = Pick<ListState, 'table' | 'digest' | 'fileDigests' | 'acceptedAt'>

/** What stands in for a rejected list. */
interface StandIn {
  readonly content: Content
  readonly fallback: ListFallback
  /** Follows the rejection, with a space before it. */
  readonly remark: string
}

const UNMET = '. Until then rules by it do not match'
const OPTIONAL = '. It is optional: rules by it do not match until it comes'
const REQUIRED =
  '. There is no copy of it: rules by it do not match, and no start succeeds without it. To fetch it: systemctl start ' +
  'gateway-lists, or in containers engine update-lists (docs/policy.md, "Updating lists")'
const NO_CONTENT: Content = { table: NO_ENTRIES, digest: '', fileDigests: [], acceptedAt: 0 }

export function createListLoader({ copies, clock }: ListLoaderOptions): ListLoader {
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

  function missing(list: ListSource, remark = ''): StandIn {
    const { fallback } = inForce.get(list.name) ?? {}
    const since = fallback?.kind === 'missing' ? fallback.since : clock()
    return { content: NO_CONTENT, fallback: { kind: 'missing', since }, remark }
  }

  async function standInFor(
    list: ListSource,
    before: ListState | undefined,
    copy: ListCopy | undefined,
    thread: ListThread,
    memory: ListsMemory,
  ): Promise<StandIn> {
    if (before !== undefined) {
      return { content: before, fallback: { kind: 'kept', since: before.acceptedAt }, remark: '' }
    }
    const isOwn = isOfSource(copy, list)
    const other = inForce.get(list.name)
    if (!isOwn && other !== undefined && other.fallback?.kind !== 'missing') return asOther(list, other)
    if (copy === undefined) return missing(list)
    const read = await readCopy(copy, thread, memory)
    if (typeof read === 'string') return missing(list, `. Its last good copy ${read}`)
    if (!isOwn) return asOther(list, read)
    const since = copy.acceptedAt
    const remark = `. In force: its last good copy, of ${new Date(since).toISOString()}`
    return { content: read, fallback: { kind: 'kept', since }, remark }
  }

  /** @returns why it cannot be used, worded to follow the copy */
  async function readCopy(copy: ListCopy, thread: ListThread, memory: ListsMemory): Promise<Content | string> {
    const [path = '', urls] = copies?.pathsOf(copy) ?? []
    const { format, member } = copy.source
    const reading = await thread.read({ path, urls, member, format, maximum: mostNames(memory) })
    const rejection = rejectionOf(reading, memory, undefined)
    if (reading.kind !== 'list') return `${rejection}`
    const table = new ListTable(reading)
    if (reading.digest === copy.digest && rejection === undefined) {
      tables.add(table)
      const { digest, fileDigests } = reading
      return { table, digest, fileDigests, acceptedAt: copy.acceptedAt }
    }
    table.free()
    return reading.digest === copy.digest ? `${rejection}` : 'is damaged'
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
      const warnings: string[] = []
      const states = new Map<string, ListState>()
      for (const list of lists) {
        const state = known(list)
        if (state !== undefined) states.set(list.name, state)
      }
      const unread = lists.filter((one) => !isRead(one))
      const copied = unread.some((one) => !hasContent(known(one))) ? await copies?.find() : undefined
      /** What a list has that has not been read yet may stay. */
      const hashesOf = ({ name }: ListSource) => states.get(name)?.table.hashes ?? copied?.get(name)?.hashes ?? 0
      let thread: ListThread | undefined
      try {
        for (const list of unread) {
          const state = known(list)
          const before = hasContent(state) ? state : undefined
          const copy = copied?.get(list.name)
          const sizeBefore: ListSize | undefined = before?.table ?? (isOfSource(copy, list) ? copy : undefined)
          thread ??= takeThread()
          const others = lists.filter((one) => one !== list)
          const memory = { megabytes, namesInOthers: others.reduce((sum, one) => sum + hashesOf(one), 0) }
          const reading = await thread.read({ ...list, maximum: mostNames(memory) })
          const opened = reading.kind === 'list' ? reading.fingerprints : []
          const fingerprint = opened.length > 0 ? opened.join(' ') : fingerprintIn(fingerprints, list)
          for (const [index, path] of filesOf(list).entries()) {
            // Of an archive with several lists, the state of the first reading: a change since then is noticed.
            if (!read.has(path)) fingerprints.set(path, opened[index] ?? String(fingerprints.get(path)))
            read.add(path)
          }
          const rejection = rejectionOf(reading, memory, acceptLosses ? undefined : sizeBefore)
          const source = sourceOf(list)
          if (reading.kind === 'list' && rejection === undefined) {
            if (reading.invalid > 0) warnings.push(`${listLabel(list)} has ${malformedLines(reading)}`)
            if (reading.skipped > 0) warnings.push(`${listLabel(list)} has ${skippedLines(reading)}: they are skipped`)
            const table = new ListTable(reading)
            tables.add(table)
            const { digest, fileDigests } = reading
            const content = { table, digest, fileDigests, acceptedAt: clock() }
            states.set(list.name, { source, ...content, fingerprint, rejection, fallback: undefined })
            continue
          }
          if (reading.kind === 'list') for (const table of buffersOf(reading)) new NameTable(table).free()
          const { content, fallback, remark } = await standInFor(list, before, copy, thread, memory)
          states.set(list.name, {
            ...{ source, ...content, fallback },
            // Next time other lists, or the setting, may leave it more.
            fingerprint: reading.kind === 'too many names' ? undefined : fingerprint,
            rejection: `${rejection}${remark}`,
          })
        }
      } finally {
        thread?.end()
      }
      const milliseconds = Math.round(performance.now() - startedAt)
      const withStates = (states: ReadonlyMap<string, ListState>, kept: ReadonlyMap<string, string>): LoadedLists => {
        const rejections = lists.flatMap((list) => {
          const { rejection, fallback } = states.get(list.name) ?? {}
          if (rejection === undefined) return []
          const isMissing = fallback?.kind === 'missing'
          const advice = kept.has(list.name) ? UNMET : list.optional ? OPTIONAL : REQUIRED
          const text = `${listLabel(list)} ${rejection}${isMissing ? advice : ''}`
          return [{ text, isMissing, isOptional: list.optional && isMissing }]
        })
        return {
          lists: lists.flatMap((list) => {
            const { table, digest, fileDigests, fallback } = states.get(list.name) ?? {}
            const isRead = table !== undefined && digest !== undefined && fileDigests !== undefined
            return isRead ? [{ ...list, table, digest, fileDigests, fallback }] : []
          }),
          missing: rejections.filter((one) => one.isMissing && !one.isOptional).map(({ text }) => text),
          rejected: rejections.filter((one) => !one.isMissing).map(({ text }) => text),
          warnings: [...warnings, ...rejections.filter((one) => one.isOptional).map(({ text }) => text)],
          ...{ states, fingerprints, milliseconds },
          updated: lists.flatMap((list) => {
            const before = known(list)
            return before === undefined || before.digest === states.get(list.name)?.digest ? [] : [list.name]
          }),
          keeping(rejections) {
            const all = lists.flatMap((list) => {
              const [before, rejection] = [known(list), rejections.get(list.name)]
              if (before === undefined || rejection === undefined) return []
              const { fallback = { kind: 'kept', since: before.acceptedAt } } = before
              // Next time another policy may accept what is in the file.
              return [[list.name, { ...before, fallback, fingerprint: undefined, rejection }] as const]
            })
            return withStates(new Map([...states, ...all]), rejections)
          },
        }
      }
      return withStates(states, new Map())
    },
    accept({ states, fingerprints }) {
      inForce = states
      paths = new Set(fingerprints.keys())
      freeUnused()
    },
    discard: freeUnused,
  }
}

function isOfSource(copy: ListCopy | undefined, list: ListSource): copy is ListCopy {
  return copy !== undefined && sourceOf(copy.source) === sourceOf(list)
}

/** Where it has none, or that of another list, new content is compared with nothing. */
function hasContent(state: ListState | undefined): state is ListState {
  return state !== undefined && (state.fallback === undefined || state.fallback.kind === 'kept')
}

function asOther({ name }: ListSource, { table, digest, fileDigests, acceptedAt }: Content): StandIn {
  const remark = `. In force: the file that the list "${name}" had before; it stops requests, and allows none`
  const content = { table, digest, fileDigests, acceptedAt }
  return { content, fallback: { kind: 'other', since: acceptedAt }, remark }
}

function fingerprintIn(fingerprints: ReadonlyMap<string, string>, list: ListSource): string {
  return filesOf(list)
    .map((path) => fingerprints.get(path))
    .join(' ')
}

function listLabel({ place, path, member }: ListSource): string {
  return `${place}: ${path}${member === undefined ? '' : ` (${member})`}`
}
