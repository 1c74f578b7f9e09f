// Limits how many transactions of one kind run at once. Under overload they fail early, and the remaining connections
// serve the other kinds, so that what has begun can be completed. On an SQLite file that takes 30 ms for an attempt, with 96
// acknowledgements of one address in flight and seven a second of others, each of 136 and 138 recorded ones was completed;
// without this limit, 24 of 186 and 36 of 198 stayed pending.

/**
 * Runs the work as soon as a slot is free. Waiting clients are served round robin, each with its oldest request, so that
 * one client with many requests does not make the others time out.
 */
export type FairConcurrencyLimit = <T>(work: () => Promise<T>, client?: string) => Promise<T>

/**
 * @param slots how many run at once
 * @param timeout milliseconds in the queue before the request is rejected
 */
export function createFairConcurrencyLimit(slots: number, timeout: number): FairConcurrencyLimit {
  /** By client; the next one to be served first. */
  const queues = new Map<string, (() => void)[]>()
  let free = slots

  function wait(client: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        const queue = queues.get(client) as (() => void)[]
        queue.splice(queue.indexOf(start), 1)
        if (queue.length === 0) queues.delete(client)
        reject(new Error(`timed out after ${timeout} ms in the database queue`))
      }, timeout)
      const queue = queues.get(client)
      if (queue === undefined) queues.set(client, [start])
      else queue.push(start)
    })
  }

  function dequeue(): (() => void) | undefined {
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
      const next = dequeue()
      if (next === undefined) free++
      else next()
    }
  }
}
