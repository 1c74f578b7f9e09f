// Runs inside the portal's process: every five seconds, its memory after a garbage collection, as a line of SOAK_MEMORY. Needs
// --expose-gc.
import { appendFileSync } from 'node:fs'

setInterval(() => {
  globalThis.gc()
  const { rss, heapUsed } = process.memoryUsage()
  appendFileSync(process.env.SOAK_MEMORY, `${JSON.stringify({ at: process.uptime(), rss, heapUsed })}\n`)
}, 5_000).unref()
