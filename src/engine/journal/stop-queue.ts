// Stopped requests that are not written yet. Bounded: while the database is away or slow, the engine must neither wait nor grow.
import type { StopRecord } from '../monitoring/stopped-requests.ts'

export interface StopQueue {
  /** @returns false if it is full */
  add(stopped: StopRecord): boolean
  /** The oldest ones, which are removed. */
  take(count: number): readonly StopRecord[]
  readonly size: number
}

/** Twenty seconds of a thousand stops each. With the longest URLs and users, 20,000 rows take about 20 MB. */
const CAPACITY = 20_000

export function createStopQueue(capacity = CAPACITY): StopQueue {
  const queue: StopRecord[] = []
  return {
    add(stopped) {
      if (queue.length >= capacity) return false
      queue.push(stopped)
      return true
    },
    take: (count) => queue.splice(0, count),
    get size() {
      return queue.length
    },
  }
}
