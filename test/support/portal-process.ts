// The portal's own process on a free port: environment in, log lines and an exit status out. It may do what it may
// in a deployment.
import { type ChildProcess, type ChildProcessByStdio, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Cleanup } from './cleanup.ts'
import { nodeFlags } from './node-flags.ts'
import { SECRET } from './payloads.ts'

const SESSION_KEY = 'kP3-session-key-for-the-tests-0123456789'

export interface SpawnOptions {
  /** Words before the program, for Node. */
  readonly nodeOptions?: readonly string[]
  /** Words before Node: a shell that sets a limit, say. */
  readonly before?: readonly string[]
  /** The portal's main file. */
  readonly program?: string
  readonly stdio: StdioOptions
}

/** The portal's process on loopback and a free port, with nothing else in its environment but this. */
export function spawnPortal(
  env: Readonly<Record<string, string>>,
  { nodeOptions = [], before = [], program = 'src/portal/main.ts', stdio }: SpawnOptions,
): ChildProcess {
  const [command = '', ...words] = [...before, process.execPath, ...nodeOptions, program]
  return spawn(command, words, {
    env: {
      GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
      GATEWAY_CAPTIVE_LISTEN_PORT: '0',
      GATEWAY_CAPTIVE_OPS_PORT: '0',
      ENGINE_INTERNAL_URL: '',
      ...env,
    },
    stdio,
  })
}

/** A portal with an SQLite file, closed after the test; `listening` resolves with its address. */
export function startPortalProcess(
  t: Cleanup,
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
  program = 'src/portal/main.ts',
) {
  const folder = mkdtempSync(join(tmpdir(), 'portal-process-'))
  const databasePath = join(folder, 'portal.db')
  // The folders of the test's own files that it is told of.
  const named = [program, ...Object.values(env)].filter((value) => value.startsWith(`${tmpdir()}/`))
  const flags = nodeFlags({ read: [folder, ...named.map((path) => dirname(path))], write: [folder] })
  const variables = {
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_SECRET_KEY: SESSION_KEY,
    GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${databasePath}`,
    ...env,
  }
  const child = spawnPortal(variables, {
    nodeOptions: [...flags, ...nodeOptions],
    program,
    stdio: ['ignore', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<null, Readable, Readable>
  const lines: string[] = []
  let errors = ''
  const listening = Promise.withResolvers<string>()
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    const address = line.includes('listening') ? /http:\/\/[\d.:]+/.exec(line)?.[0] : undefined
    if (address !== undefined) listening.resolve(address)
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'close').then(([status]) => status as number | null)
  // Only where somebody waits for it.
  listening.promise.catch(() => {})
  void ended.then((status) => listening.reject(new Error(`it ended with status ${status}: ${errors}${lines.at(-1)}`)))
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  return { child, databasePath, lines, errors: () => errors, listening: listening.promise, ended }
}

/** The process ids of a process's children; Linux alone tells them. */
export function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
  return text.split(' ').filter(Boolean).map(Number)
}
