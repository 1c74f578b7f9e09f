// The request queue, oldest first. The event loop accepts one connection per iteration, so a long batch of responses would
// keep new visitors out. After a new connection only one request is served before the event loop runs again; otherwise as
// many as take two milliseconds. With three hundred connections that sent the next request at once, a hundred new ones had their
// first page within 0.7 s, after 413 other pages; without this queue within 10.7 s, after 22,524 others.
import type { Server } from 'node:http'

export interface RequestQueue<Request> {
  /** Serves the request now, or after those received before it. */
  add(request: Request): void
  /** How many are waiting. */
  size(): number
}

/** About a dozen pages. */
const BATCH_MS = 2

/** @param serve must not throw */
export function createRequestQueue<Request>(server: Server, serve: (request: Request) => void): RequestQueue<Request> {
  const queue: Request[] = []
  let isDraining = false
  let hasNewConnection = false
  server.on('connection', () => {
    hasNewConnection = true
  })
  return {
    add(request) {
      if (isDraining) {
        queue.push(request)
        return
      }
      isDraining = true
      setImmediate(drain)
      serve(request)
    },
    size: () => queue.length,
  }

  function drain(): void {
    isDraining = queue.length > 0
    if (!isDraining) return
    setImmediate(drain)
    const endsAt = hasNewConnection ? 0 : performance.now() + BATCH_MS
    hasNewConnection = false
    do serve(queue.shift() as Request)
    while (queue.length > 0 && performance.now() < endsAt)
  }
}
