// Servers as child processes on a separate core.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { type Cores, residentBytes } from './processes.ts'
import { until } from './until.ts'

export interface Server {
  readonly pid: number
  readonly port: number
  /** Stops it and all processes that it has started. */
  stop(): Promise<void>
}

export interface ServerPlan {
  /** For messages. */
  readonly name: string
  /** By default this Node. */
  readonly program?: string
  /** The program's arguments, for a server that listens on this port. */
  readonly words: (port: number) => readonly string[]
  /** The server's whole environment. */
  readonly environment?: (port: number) => Readonly<Record<string, string>>
  /** A Unix socket on which it listens instead of the port. */
  readonly socket?: string
  /** Whether its standard error, where some servers write their requests, goes to the null device too. */
  readonly isMute?: boolean
  /** How long its start may take; 15 by default. */
  readonly startSeconds?: number
}

const START_SECONDS = 15
/** Memory has settled when it has changed by less than 1 % for half a second. */
const SETTLED_SAMPLES = 10
const SAMPLE_MILLISECONDS = 50
const SETTLE_SECONDS = 10
const STOP_SECONDS = 3

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) kill(child, 'SIGKILL')
})

/**
 * Starts a server and waits until it listens. It is killed when this process ends. Its standard output is discarded.
 * @throws {Error} when it exits, or does not listen in time
 */
export async function startServer(plan: ServerPlan, cores: Cores | undefined): Promise<Server> {
  const port = await freePort()
  const child = launch(plan, port, cores)
  let failure: Error | undefined
  child.on('error', (error) => {
    failure = error
  })
  await until(async () => {
    if (failure !== undefined) throw new Error(`${plan.name} does not start: ${failure.message}`)
    if (child.exitCode !== null) throw new Error(`${plan.name} ended with status ${child.exitCode} before it listened`)
    return await accepts(plan.socket ?? port)
  }, plan.startSeconds ?? START_SECONDS)
  return serverOf(child, port)
}

/** @returns the memory of a started server before its first request, once it has settled */
export async function bytesAtRest({ pid }: Server): Promise<number> {
  let bytes = residentBytes(pid)
  let looks = 0
  const isSettled = () => {
    const now = residentBytes(pid)
    if (Math.abs(now - bytes) < bytes / 100) looks++
    else [bytes, looks] = [now, 0]
    return Number.isNaN(now) || looks === SETTLED_SAMPLES
  }
  await until(isSettled, SETTLE_SECONDS, SAMPLE_MILLISECONDS)
  return bytes
}

/** Starts a server without waiting for anything. */
export function launch(plan: ServerPlan, port: number, cores: Cores | undefined): ChildProcess {
  const command = [plan.program ?? process.execPath, ...plan.words(port)]
  const pinned = cores === undefined ? command : ['taskset', '--cpu-list', cores.server, ...command]
  const child = spawn(pinned[0] as string, pinned.slice(1), {
    env: { PATH: process.env.PATH ?? '', ...plan.environment?.(port) },
    stdio: ['ignore', 'ignore', plan.isMute ? 'ignore' : 'inherit'],
    // In a separate process group, so that its children are killed with it.
    detached: true,
  })
  children.add(child)
  return child
}

/** @param child the leader of a process group: spawned with `detached` */
export function serverOf(child: ChildProcess, port: number): Server {
  children.add(child)
  return {
    pid: child.pid as number,
    port,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        kill(child, 'SIGTERM')
        await Promise.race([ended, sleep(STOP_SECONDS * 1000, undefined, { ref: false })])
      }
      kill(child, 'SIGKILL')
      children.delete(child)
    },
  }
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // All its processes have exited.
  }
}

/** @returns whether a server listens on this port of loopback, or at this path */
export async function accepts(where: number | string): Promise<boolean> {
  const socket = typeof where === 'string' ? connect(where) : connect(where, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
