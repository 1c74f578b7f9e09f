// Runs gatewayctl as a process: in pipes, or on a terminal created by util-linux's `script`.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LedgerLocation } from '../../src/ledger/database.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
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
  readonly ledger?: LedgerLocation
  readonly env?: Readonly<Record<string, string>>
  readonly nodeOptions?: readonly string[]
  /** A bash script that runs it as `"$@"`. */
  readonly shell?: string
}

/** Its environment holds only the given variables. */
export function startGatewayctl(
  args: readonly string[],
  { ledger, env = {}, nodeOptions = [], shell }: Surroundings = {},
): ChildProcessWithoutNullStreams {
  const command = [process.execPath, ...nodeOptions, MAIN, ...args]
  const [program = '', ...rest] =
    shell === undefined ? command : ['/bin/bash', '--norc', '-c', shell, 'bash', ...command]
  return spawn(program, rest, {
    env: {
      ...COMPILE_CACHE,
      ...(ledger === undefined ? {} : { GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl(ledger) }),
      ...env,
    },
  })
}

/** Runs it in pipes, with nothing on its standard input. */
export async function gatewayctl(args: readonly string[], surroundings?: Surroundings): Promise<Ended> {
  const child = startGatewayctl(args, surroundings)
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

export const databaseUrl = (ledger: LedgerLocation): string =>
  ledger.dialect === 'sqlite' ? `sqlite:///${ledger.path}` : ledger.url

export const skipWithoutScript = skipUnless(
  process.platform === 'linux' && existsSync('/usr/bin/script'),
  'needs a terminal: apt-get install bsdutils (util-linux on other distributions)',
)

/** Runs it on a terminal with 100 columns, and types `typed` once `awaited` has been printed. */
export async function onTerminal(
  args: readonly string[],
  { ledger, env = {} }: Surroundings,
  { awaited, typed, redirection = '' }: { awaited?: RegExp; typed?: string; redirection?: string } = {},
): Promise<{ readonly status: number | null; readonly screen: string }> {
  const quoted = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('/usr/bin/script', ['-qefc', `stty cols 100; ${quoted} ${redirection}`, '/dev/null'], {
    env: {
      PATH: '/usr/bin:/bin',
      SHELL: '/bin/sh',
      TERM: 'xterm-256color',
      ...COMPILE_CACHE,
      ...(ledger === undefined ? {} : { GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl(ledger) }),
      ...env,
    },
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
