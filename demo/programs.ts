// The demo's child processes: starts them, waits until they are ready, and stops them together.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export type Program = 'engine' | 'portal' | 'https portal' | 'terminator' | 'proxy'

export interface ProgramsOptions {
  readonly onLog?: (program: Program, line: string) => void
  /** Called when a program exits unexpectedly, with its last lines. */
  readonly onFailure?: (program: Program, lastLines: readonly string[]) => void
}

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Resolves when the program is ready, if it does not log `listening` with its address. */
  readonly up?: (isOver: () => boolean) => Promise<string>
  /** The user and group that it runs as, by number. */
  readonly user?: number | undefined
}

export interface Programs {
  /**
   * Starts a program and waits until it is ready.
   * @returns its address
   * @throws {Error} when it exits before it is ready, or all of them are being stopped
   */
  start(program: Program, command: readonly string[], options?: StartOptions): Promise<string>
  /** Stops all of them and waits until they have exited. */
  stop(): Promise<void>
}

/** Where Node caches compiled sources, if this is set. */
const { NODE_COMPILE_CACHE } = process.env

export function createPrograms({ onLog, onFailure }: ProgramsOptions): Programs {
  const children: ChildProcess[] = []
  let isStopping = false
  return {
    async start(program, [command = '', ...args], { env = {}, up, user } = {}) {
      if (isStopping) throw new Error(`the ${program} was not started: the demo is stopping`)
      const child = spawn(command, args, {
        env: { NODE_COMPILE_CACHE, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(user !== undefined && { uid: user, gid: user }),
      })
      children.push(child)
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      up?.(() => isStopping).then(resolve)
      const lastLines: string[] = []
      for (const stream of [child.stdout, child.stderr]) {
        createInterface(stream).on('line', (line) => {
          if (lastLines.push(line) > 10) lastLines.shift()
          onLog?.(program, line)
          const address = /listening.*?(https?:\/\/[^\s"]+)/.exec(line)?.[1]
          if (address !== undefined) resolve(address)
        })
      }
      child.on('error', reject)
      child.on('close', (status) => {
        if (isStopping) return
        onFailure?.(program, lastLines)
        reject(new Error(`the ${program} exited with status ${status}`))
      })
      return await promise
    },
    async stop() {
      isStopping = true
      await Promise.all(children.map(endChild))
    },
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
