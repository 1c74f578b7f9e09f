/** Milliseconds of processor time that this takes: a busy machine does not count. */
export function cpuMilliseconds(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
