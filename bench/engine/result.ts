// What was measured of the engine, and the figures that follow from it.
import { quotients } from '../statistics.ts'

export interface EngineResult {
  /** By length; the first has one name: the empty engine. */
  readonly lists: readonly ListResult[]
}

export interface ListResult {
  readonly names: number
  readonly urls: number
  /** Milliseconds from the start of a process until a request for a name on the list is stopped. */
  readonly starts: readonly number[]
  readonly processes: readonly ListProcess[]
}

/** One process, through several reloads. */
export interface ListProcess {
  /** Bytes, before the first request. */
  readonly atStart: number
  /** The longest response without a reload, in milliseconds. */
  readonly longest: number
  readonly reloads: readonly Reload[]
  /**
   * Microseconds for each JSON call about a host that no rule names, about one that the list has, and about a URL that it has;
   * undefined where it has none.
   */
  readonly cpu: { readonly allowed: number; readonly stopped: number; readonly byUrl: number | undefined }
}

export interface Reload {
  /** Milliseconds from the change of the file until the new name is blocked. */
  readonly inForce: number
  /** The longest response, in milliseconds. */
  readonly longest: number
  /** Resident bytes: before it, at most during it, and settled after it. */
  readonly before: number
  readonly peak: number
  readonly after: number
}

export const NAMES = 1_000_000
export const MORE_NAMES = 5_000_000
/** On the list with more names: UT1 has 70,000. */
export const MORE_URLS = 500_000
export const QUICK_NAMES = 20_000
export const QUICK_URLS = 2000

export function reloadFigures({ processes }: ListResult, figure: keyof Reload): readonly number[] {
  return processes.flatMap(({ reloads }) => reloads.map((reload) => reload[figure]))
}

/** The peak of each reload by the memory before. */
export function peakRatios(list: ListResult): readonly number[] {
  return quotients(reloadFigures(list, 'peak'), reloadFigures(list, 'before'))
}

/** Bytes per million names and URLs above the empty engine, after each reload, compared with the same reload of the empty engine. */
export function bytesPerMillion({ names, urls, processes }: ListResult, empty: ListResult): readonly number[] {
  return processes.flatMap(({ reloads }, number) => {
    const others = empty.processes[number]?.reloads ?? []
    return reloads.flatMap(({ after }, index) => {
      const other = others[index]
      return other === undefined ? [] : [((after - other.after) / (names + urls)) * 1e6]
    })
  })
}
