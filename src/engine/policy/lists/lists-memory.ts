// How many names the memory for lists (`lists_memory_mb`) suffices for, and what to do about a list that has more.

/** At the peak of a reload: 9 in the table in force, and 11 next to it while the file is read. */
const BYTES_PER_NAME = 20

/** Half of what the engine's unit and container may use. */
export const DEFAULT_LISTS_MEMORY_MB = 512

export interface ListsMemory {
  /** `lists_memory_mb` */
  readonly megabytes: number
  /** What the other lists need of it. */
  readonly namesInOthers: number
}

/** @returns how many names a list may have */
export function mostNames({ megabytes, namesInOthers }: ListsMemory): number {
  return Math.max(0, namesIn(megabytes) - namesInOthers)
}

/** Why a list with more names is rejected, worded to follow its path. */
export function tooManyNames(names: number, memory: ListsMemory): string {
  const { megabytes, namesInOthers } = memory
  const needed = Math.ceil(((namesInOthers + names) * BYTES_PER_NAME) / 10_000_000) * 10
  return (
    `must have at most ${mostNames(memory)} names; it has about ${names}, and all lists together may have ` +
    `${namesIn(megabytes)}. To accept it, raise the engine's memory limit (MemoryMax of its unit, mem_limit of its ` +
    `container) by ${needed - megabytes} MB, then lists_memory_mb from ${megabytes} to ${needed}`
  )
}

/** What is left of the memory next to these names. */
export function megabytesLeft(megabytes: number, names: number): number {
  return Math.max(0, megabytes - Math.ceil((names * BYTES_PER_NAME) / 1_000_000))
}

function namesIn(megabytes: number): number {
  return Math.floor((megabytes * 1_000_000) / BYTES_PER_NAME)
}
