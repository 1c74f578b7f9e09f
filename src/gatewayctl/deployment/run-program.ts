// Other programs, run without a shell, within a time limit, in a process group that ends as a whole.
import { spawn } from 'node:child_process'
import type { Environment } from '../../config/reading.ts'
import { Failure } from '../failure.ts'

export interface Ran {
  /** 127 when there is no such program, null when the time limit ended it. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd: string
  readonly env: Environment
  readonly seconds: number
}

/** What one program may say; what comes after it is not kept. */
const MAXIMUM_CHARACTERS = 4_000_000

export function run(words: readonly string[], { cwd, env, seconds }: CommandOptions): Promise<Ran> {
  const [program = '', ...args] = words
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        if (texts[name].length < MAXIMUM_CHARACTERS) texts[name] += chunk
      })
    }
    const limit = setTimeout(() => {
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL')
      // Whoever left the group may hold the pipes open for longer.
      child.stdout.destroy()
      child.stderr.destroy()
    }, seconds * 1000)
    child.once('error', (error) => {
      clearTimeout(limit)
      resolve({ status: 127, stdout: '', stderr: `${program} cannot be run: ${error.message}` })
    })
    child.once('close', (status) => {
      clearTimeout(limit)
      resolve({ status, ...texts })
    })
  })
}

/** What it printed. @throws {Failure} with what it said last */
export async function output(words: readonly string[], options: CommandOptions): Promise<string> {
  const { status, stdout, stderr } = await run(words, options)
  if (status === 0) return stdout
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-10).join('\n')
  const end = status === null ? `did not end within ${options.seconds} seconds` : `ended with ${status}`
  throw new Failure(`"${words.join(' ').slice(0, 200)}" ${end}${said === '' ? '' : `:\n${said}`}`)
}
