// A server's use of CPU and memory, as reported by the kernel, for its first process and all descendants.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Core numbers. */
export interface Cores {
  readonly server: string
  readonly load: string
}

// Read at the start: a process that has pinned itself sees only its own cores.
const allowedCores = readAllowedCores()
// In /proc/PID/smaps: offset, inode, path, and resident kB.
const MAPPING = /^[\da-f]+-[\da-f]+ \S+ ([\da-f]+) \S+ (\d+) *(.*)\n(?:[A-Z]\S+:.*\n)*?Rss: +(\d+) kB$/gm
// The unit of /proc/PID/stat: USER_HZ, 100 on every architecture that Node runs on.
const TICKS_PER_SECOND = 100
// Indexes of fields in /proc/PID/stat after the program's name.
const [PARENT, USER_TICKS, SYSTEM_TICKS] = [1, 11, 12]

/** The first core for the load, the last one for a server; undefined with a single core or without taskset. */
export function findCores(): Cores | undefined {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).status !== 0) return undefined
  const [load, ...others] = allowedCores
  const server = others.at(-1)
  return load === undefined || server === undefined ? undefined : { load, server }
}

/** Pins a process with all current and future threads to these cores. */
export function pin(pid: number, cores: string): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, `${pid}`], { stdio: 'pipe' })
}

/** Parses a list like `0-2,5`. */
function readAllowedCores(): readonly string[] {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(readText('/proc/self/status') ?? '')?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number) as [number, number?]
    return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`)
  })
}

/** Seconds of CPU that these processes and their descendants have used, all threads; NaN where unknown. */
export function cpuSeconds(...roots: readonly number[]): number {
  if (process.platform !== 'linux') return Number.NaN
  const stats = readStats()
  const ticks = (pid: number) => {
    const fields = stats.get(pid) ?? []
    return Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])
  }
  return descendants(roots, stats).reduce((sum, pid) => sum + ticks(pid), 0) / TICKS_PER_SECOND
}

/** CPU time of Node that loads nothing, median of five starts, in seconds: how slow the machine is just now. */
export function nodeSeconds(): number {
  const program = 'const { user, system } = process.cpuUsage(); console.log(user + system)'
  const starts = Array.from({ length: 5 }, () => Number(execFileSync(process.execPath, ['-e', program], { env: {} })))
  return (starts.toSorted((a, b) => a - b)[2] as number) / 1e6
}

/** Resident memory of these processes and their descendants in bytes; shared pages count for each. NaN where unknown. */
export function residentBytes(...roots: readonly number[]): number {
  if (process.platform !== 'linux') return Number.NaN
  return descendants(roots).reduce((sum, pid) => {
    const status = readText(`/proc/${pid}/status`) ?? ''
    return sum + Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
  }, 0)
}

/**
 * Proportional set size of these processes and their descendants in bytes: a page that several processes share counts once.
 * NaN where unknown.
 */
export function proportionalBytes(...roots: readonly number[]): number {
  if (process.platform !== 'linux') return Number.NaN
  return descendants(roots).reduce((sum, pid) => {
    const rollup = readText(`/proc/${pid}/smaps_rollup`) ?? ''
    return sum + Number(/^Pss:\s*(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024
  }, 0)
}

/**
 * Memory of those processes, among these and their descendants, that run this program, in bytes: files that they map count once,
 * as if no other process used them. NaN where unknown.
 */
export function programBytes(program: string, ...roots: readonly number[]): number {
  if (process.platform !== 'linux') return Number.NaN
  const files = new Map<string, number>()
  let anonymous = 0
  for (const pid of descendants(roots)) {
    if (basename(readLink(`/proc/${pid}/exe`) ?? '') !== program) continue
    for (const [, offset, inode, path, resident] of (readText(`/proc/${pid}/smaps`) ?? '').matchAll(MAPPING)) {
      const file = `${path}@${offset}`
      if (inode === '0') anonymous += Number(resident)
      else files.set(file, Math.max(files.get(file) ?? 0, Number(resident)))
    }
  }
  return files.values().reduce((sum, resident) => sum + resident, anonymous) * 1024
}

/** The most resident memory that this process has used since `forgetPeakBytes`, without descendants; NaN where unknown. */
export function peakBytes(pid: number): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1]) * 1024
}

export function forgetPeakBytes(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** @returns the processes and all their descendants */
export function descendants(roots: readonly number[], stats = readStats()): number[] {
  const family = new Set(roots)
  for (let before = 0; before !== family.size; ) {
    before = family.size
    for (const [pid, fields] of stats) if (family.has(Number(fields[PARENT]))) family.add(pid)
  }
  return [...family]
}

/** @returns for every process, the fields after its name */
function readStats(): Map<number, readonly string[]> {
  const stats = new Map<number, readonly string[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The second field is the program's name in parentheses, which may hold anything.
    const fields = readText(`/proc/${name}/stat`)?.split(') ').at(-1)?.split(' ')
    if (fields !== undefined) stats.set(Number(name), fields)
  }
  return stats
}

/** @returns undefined when the process has exited in the meantime */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
