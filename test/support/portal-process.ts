// The portal as a process on a free port, with the permissions of a deployment. Tests set its environment and read its
// log lines and exit status.
import { type ChildProcess, type ChildProcessByStdio, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Cleanup } from './cleanup.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { nodeFlags } from './node-flags.ts'
import { SECRET, SESSION_KEY } from './payloads.ts'

const MAIN = 'src/portal/main.ts'

export interface SpawnOptions {
  /** Node's options. */
  readonly nodeOptions?: readonly string[]
  /** A command before Node, such as a shell that sets a limit. */
  readonly before?: readonly string[]
  /** The portal's main file. The repository's own starts with the tests' compile cache. */
  readonly program?: string
  /** Its arguments. */
  readonly args?: readonly string[]
  readonly stdio: StdioOptions
}

/** Starts the portal on loopback and a free port, with only these environment variables. */
export function spawnPortal(
  env: Readonly<Record<string, string>>,
  { nodeOptions = [], before = [], program = MAIN, args = [], stdio }: SpawnOptions,
): ChildProcess {
  const [command = '', ...words] = [...before, process.execPath, ...nodeOptions, program, ...args]
  return spawn(command, words, {
    env: {
      GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
      GATEWAY_CAPTIVE_LISTEN_PORT: '0',
      GATEWAY_CAPTIVE_OPS_PORT: '0',
      ENGINE_INTERNAL_URL: '',
      ...(program === MAIN && COMPILE_CACHE),
      ...env,
    },
    stdio,
  })
}

/** Starts a portal with an SQLite file, and stops it after the test; `listening` resolves to its address. */
export function startPortalProcess(
  t: Cleanup,
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
  program = MAIN,
  args: readonly string[] = [],
) {
  const folder = mkdtempSync(join(tmpdir(), 'portal-process-'))
  const databasePath = join(folder, 'portal.db')
  // Read access to the folders of the test's files.
  const named = [program, ...Object.values(env)].filter((value) => value.startsWith(`${tmpdir()}/`))
  const cache = program === MAIN ? Object.values(COMPILE_CACHE) : []
  const flags = nodeFlags({
    read: [folder, ...named.map((path) => dirname(path)), ...cache],
    write: [folder, ...cache],
  })
  const variables = {
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_SECRET_KEY: SESSION_KEY,
    GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${databasePath}`,
    ...env,
  }
  const child = spawnPortal(variables, {
    nodeOptions: [...flags, ...nodeOptions],
    program,
    args,
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
  // Rejects only for tests that wait for it.
  listening.promise.catch(() => {})
  void ended.then((status) => listening.reject(new Error(`it exited with status ${status}: ${errors}${lines.at(-1)}`)))
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  return { child, databasePath, lines, errors: () => errors, listening: listening.promise, ended }
}
