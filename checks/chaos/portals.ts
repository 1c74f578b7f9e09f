// Runs portals as processes, each on its own port, and kills and restarts them.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { spawnPortal } from '../../test/support/portal-process.ts'
import { accepts } from '../../test/support/servers.ts'
import { until } from '../../test/support/until.ts'

export interface Portals {
  readonly ports: readonly number[]
  /** The log file of each portal. */
  readonly logs: readonly string[]
  /** The current process. */
  process(index: number): ChildProcess
  /** Kills it with SIGKILL and restarts it; resolves when it listens. */
  killAndRestart(index: number): Promise<void>
  /** Stops all with SIGINT. */
  stop(): Promise<void>
}

const START_SECONDS = 30

export interface Scarcity {
  readonly openFiles?: number
  readonly nodeOptions?: readonly string[]
}

/**
 * @param environment variables of each portal
 * @param folder for the log files
 * @param scarcity limits of each process
 * @throws {Error} when a portal does not start
 */
export async function startPortals(
  count: number,
  environment: Readonly<Record<string, string>>,
  folder: string,
  { openFiles, nodeOptions = [] }: Scarcity = {},
): Promise<Portals> {
  const ports: number[] = []
  for (let index = 0; index < count; index++) ports.push(await freePort())
  const logs = ports.map((port) => join(folder, `portal-${port}.log`))
  const before = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh']
  const children: ChildProcess[] = []
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL')
  })

  async function start(index: number): Promise<void> {
    const log = openSync(logs[index] as string, 'a')
    const variables = { GATEWAY_CAPTIVE_LISTEN_PORT: `${ports[index]}`, ...environment }
    const child = spawnPortal(variables, { nodeOptions, before, stdio: ['ignore', log, log] })
    closeSync(log)
    children[index] = child
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`a portal ended with status ${child.exitCode}; see ${folder}`)
      return await accepts(ports[index] as number)
    }, START_SECONDS)
  }

  async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  await Promise.all(ports.keys().map(start))
  return {
    ports,
    logs,
    process: (index) => children[index] as ChildProcess,
    async killAndRestart(index) {
      await end(children[index] as ChildProcess, 'SIGKILL')
      await start(index)
    },
    async stop() {
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      await Promise.all(running.map((child) => end(child, 'SIGINT')))
    },
  }
}
