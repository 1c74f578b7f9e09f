// Runs inside the portal's process: reports its memory after a garbage collection. Needs --expose-gc.
process.on('message', () => {
  globalThis.gc()
  const { rss, heapUsed } = process.memoryUsage()
  process.send({ rss, heapUsed })
})
// The channel does not keep the portal running.
process.channel.unref()
