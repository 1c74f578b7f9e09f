/** Milliseconds of processor time that this takes: a busy machine does not count. */
export function cpuMilliseconds(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The longest that timers did not run meanwhile, in milliseconds of this thread's processor time. */
export async function longestBlock(run: () => Promise<unknown>): Promise<number> {
  let [longest, before] = [0, process.threadCpuUsage()]
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.threadCpuUsage()
  }, 1)
  await run()
  clearInterval(timer)
  return longest
}
