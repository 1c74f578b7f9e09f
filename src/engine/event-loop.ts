// Long work on the thread that decides: it yields to the event loop before decisions wait noticeably.
import { setImmediate } from 'node:timers/promises'

const TURN_MS = 2

export interface Turn {
  /** To be called at each step of the work, which may take microseconds. */
  isOver(): boolean
  /** Yields. */
  next(): Promise<void>
}

export function startTurn(): Turn {
  let since = performance.now()
  return {
    isOver: () => performance.now() - since >= TURN_MS,
    async next() {
      await setImmediate()
      since = performance.now()
    },
  }
}
