// Who may begin: when more come than the database can take, the rest is turned away soon, and those whom the engine has
// answered find room for what it said. An attempt that was begun and is not completed tells an auditor nothing.

/**
 * Runs the work as soon as there is a place for it. Clients that wait take turns, each with its oldest, so that one client
 * with many requests does not use up the patience of the others.
 */
export type FairConcurrencyLimit = <T>(work: () => Promise<T>, client?: string) => Promise<T>

/**
 * @param places how many may be at work at once
 * @param patience milliseconds that anybody waits for a place
 */
export function createFairConcurrencyLimit(places: number, patience: number): FairConcurrencyLimit {
  /** By client; the one whose turn is next comes first. */
  const queues = new Map<string, (() => void)[]>()
  let free = places

  function wait(client: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        const queue = queues.get(client) as (() => void)[]
        queue.splice(queue.indexOf(enter), 1)
        if (queue.length === 0) queues.delete(client)
        reject(new Error('too many are waiting for the database'))
      }, patience)
      const queue = queues.get(client)
      if (queue === undefined) queues.set(client, [enter])
      else queue.push(enter)
    })
  }

  function takeNext(): (() => void) | undefined {
    for (const [client, queue] of queues) {
      const next = queue.shift()
      queues.delete(client)
      if (queue.length > 0) queues.set(client, queue)
      return next
    }
    return undefined
  }

  return async (work, client = '') => {
    if (free > 0) free--
    else await wait(client)
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next === undefined) free++
      else next()
    }
  }
}
