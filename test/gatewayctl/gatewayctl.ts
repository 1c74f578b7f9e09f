// Runs gatewayctl: in this process, where its output and its exit code are what is tested; as a process in pipes, where
// signals, limits or the end of a process matter; and on a terminal created by util-linux's `script`.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Context } from '../../src/gatewayctl/context.ts'
import { runCommandLine } from '../../src/gatewayctl/run.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { postgresUrl } from '../support/postgres-server.ts'
import { skipUnless } from '../support/requirement.ts'

export const MAIN = fileURLToPath(new URL('../../src/gatewayctl/main.ts', import.meta.url))

export interface Ended {
  /** Null after a signal. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  /** The portal's database. */
  readonly ledger?: DatabaseLocation
  readonly env?: Readonly<Record<string, string>>
}

export interface InProcess extends Surroundings {
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

export interface Input {
  readonly stdin?: string
  /** Whether input and errors are a terminal's. */
  readonly isTerminal?: boolean
}

export interface ProcessOptions extends Surroundings {
  readonly nodeOptions?: readonly string[]
  /** A bash script that runs it as `"$@"`. */
  readonly shell?: string
}

/** Runs it in this process. Its environment holds only the given variables, and a time zone. */
export async function gatewayctl(
  args: readonly string[],
  surroundings: InProcess = {},
  input: Input = {},
): Promise<Ended> {
  const { context, output } = createContext(surroundings, input)
  return { status: await runCommandLine(context, args), ...output() }
}

/** What a command runs with, and what it has written to it. */
export function createContext(
  { clock = Date.now, ...surroundings }: InProcess,
  { stdin = '', isTerminal = false }: Input = {},
): { readonly context: Context; readonly output: () => Pick<Ended, 'stdout' | 'stderr'> } {
  const [stdout, stderr] = [collect(false), collect(isTerminal)]
  return {
    context: {
      env: variables(surroundings),
      stdin: Object.assign(Readable.from(Buffer.from(stdin)), { isTTY: isTerminal }) as unknown as NodeJS.ReadStream,
      stdout: stdout.stream,
      stderr: stderr.stream,
      clock,
    },
    output: () => ({ stdout: stdout.text(), stderr: stderr.text() }),
  }
}

function collect(isTTY: boolean) {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk)
      done()
    },
  })
  return {
    stream: Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream,
    text: () => Buffer.concat(chunks).toString(),
  }
}

const variables = ({ ledger, env }: Surroundings): Readonly<Record<string, string>> => ({
  ...COMPILE_CACHE,
  // Not the machine's.
  GATEWAY_TIMEZONE: 'UTC',
  ...(ledger === undefined ? {} : { GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl(ledger) }),
  ...env,
})

/** Its environment holds only the given variables, and a time zone. */
export function startGatewayctl(
  args: readonly string[],
  { nodeOptions = [], shell, ...surroundings }: ProcessOptions = {},
): ChildProcessWithoutNullStreams {
  const command = [process.execPath, ...nodeOptions, MAIN, ...args]
  const [program = '', ...rest] =
    shell === undefined ? command : ['/bin/bash', '--norc', '-c', shell, 'bash', ...command]
  return spawn(program, rest, { env: variables(surroundings) })
}

/** Runs it as a process in pipes, with nothing on its standard input. */
export async function gatewayctlProcess(args: readonly string[], options?: ProcessOptions): Promise<Ended> {
  const child = startGatewayctl(args, options)
  child.stdin.end()
  return await ended(child)
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { status, stdout, stderr }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

export const databaseUrl = (ledger: DatabaseLocation): string =>
  ledger.dialect === 'sqlite' ? `sqlite:///${ledger.path}` : postgresUrl(ledger)

export const skipWithoutScript = skipUnless(
  process.platform === 'linux' && existsSync('/usr/bin/script'),
  'needs a terminal: apt-get install bsdutils (util-linux on other distributions)',
)

/** Runs it on a terminal with 100 columns, and types `typed` once `awaited` has been printed. */
export async function onTerminal(
  args: readonly string[],
  surroundings: Surroundings,
  { awaited, typed, redirection = '' }: { awaited?: RegExp; typed?: string; redirection?: string } = {},
): Promise<{ readonly status: number | null; readonly screen: string }> {
  const quoted = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('/usr/bin/script', ['-qefc', `stty cols 100; ${quoted} ${redirection}`, '/dev/null'], {
    env: { PATH: '/usr/bin:/bin', SHELL: '/bin/sh', TERM: 'xterm-256color', ...variables(surroundings) },
  })
  let screen = ''
  let hasTyped = false
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    screen += chunk
    if (hasTyped || awaited === undefined || !awaited.test(screen)) return
    hasTyped = true
    child.stdin.write(`${typed}`)
  })
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, screen }
}
