// Servers as child processes on a core of their own, and what the kernel says of their use of it.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Numbers of the core for the server and the core for the load. */
export interface Cores {
  readonly server: number
  readonly load: number
}

export interface Server {
  readonly pid: number
  readonly port: number
}

export interface ServerPlan {
  /** For messages. */
  readonly name: string
  /** What Node is given, for a server that will listen on this port. */
  readonly words: (port: number) => readonly string[]
  /** The server's whole environment. */
  readonly environment?: (port: number) => Readonly<Record<string, string>>
}

const START_SECONDS = 15
// The unit of /proc/PID/stat: USER_HZ, 100 on every architecture that Node runs on.
const TICKS_PER_SECOND = 100

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Two cores that this process may use; undefined where there are not two, or nothing to pin processes with. */
export function findCores(): Cores | undefined {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).status !== 0) return undefined
  const allowed = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  const numbers = allowed.match(/\d+/g) ?? []
  const [load, server] = [Number(numbers[0]), Number(numbers.at(-1))]
  return numbers.length < 2 ? undefined : { load, server }
}

/** Keeps a process, with every thread that it has and will have, on one core. */
export function pin(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`], { stdio: 'pipe' })
}

/**
 * Starts a server with the Node that runs this and waits until it listens. It ends with this process. Its standard
 * output goes to the null device.
 * @throws {Error} when it ends, or does not listen in time
 */
export async function startServer(plan: ServerPlan, cores: Cores | undefined): Promise<Server> {
  const port = await freePort()
  const child = spawn(process.execPath, plan.words(port), {
    env: plan.environment?.(port) ?? {},
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.add(child)
  for (const deadline = Date.now() + START_SECONDS * 1000; !(await accepts(port)); await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`${plan.name} ended with status ${child.exitCode} before it listened`)
    if (Date.now() > deadline) throw new Error(`${plan.name} did not listen within ${START_SECONDS} s`)
  }
  const pid = child.pid as number
  if (cores !== undefined) pin(pid, cores.server)
  return { pid, port }
}

/** Seconds of CPU that a process has used, all threads; NaN where nobody tells. */
export function cpuSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  // The second field is the program's name in parentheses, which may hold anything.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident memory of a process in bytes; NaN where nobody tells. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
