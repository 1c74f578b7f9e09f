// Inside the portal's process: says what memory it holds, once nothing is left to collect. Needs --expose-gc.
process.on('message', () => {
  globalThis.gc()
  const { rss, heapUsed } = process.memoryUsage()
  process.send({ rss, heapUsed })
})
// The portal ends as if nobody listened.
process.channel.unref()
