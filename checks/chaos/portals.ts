// Portals as processes on ports of their own, that are killed without warning and started again.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { spawnPortal } from '../../test/support/portal-process.ts'
import { accepts } from '../../test/support/servers.ts'

export interface Portals {
  readonly ports: readonly number[]
  /** Where in the folder each one's log is. */
  readonly logs: readonly string[]
  /** As it is at the moment. */
  process(index: number): ChildProcess
  /** Kills that one as `kill -9` does, and starts it again at once; resolves when it listens. */
  killAndRestart(index: number): Promise<void>
  /** Lets all of them finish. */
  stop(): Promise<void>
}

const START_SECONDS = 30

export interface Scarcity {
  readonly openFiles?: number
  readonly nodeOptions?: readonly string[]
}

/**
 * @param environment of each
 * @param folder for their logs
 * @param scarcity what they have to make do with
 * @throws {Error} when one does not start
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
    for (const deadline = Date.now() + START_SECONDS * 1000; !(await accepts(ports[index] as number)); ) {
      if (child.exitCode !== null) throw new Error(`a portal ended with status ${child.exitCode}; see ${folder}`)
      if (Date.now() > deadline) throw new Error(`a portal did not listen within ${START_SECONDS} s; see ${folder}`)
      await sleep(20)
    }
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
