// Runs other programs without a shell, with a time limit, each in its own process group.
import { spawn } from 'node:child_process'
import type { Environment } from '../../settings/reading.ts'
import { Failure } from '../failure.ts'

export interface Ran {
  /** 127 if the program is missing, null if it has not ended within the time limit. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd: string
  readonly env: Environment
  readonly seconds: number
  /** For its standard input, which is empty by default. */
  readonly input?: Uint8Array
}

/** Output beyond this is discarded. */
const MAXIMUM_CHARACTERS = 4_000_000

export function run(command: readonly string[], { cwd, env, seconds, input }: CommandOptions): Promise<Ran> {
  const [program = '', ...args] = command
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    // It may end before it has read everything.
    child.stdin.on('error', () => {}).end(input)
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        if (texts[name].length < MAXIMUM_CHARACTERS) texts[name] += chunk
      })
    }
    const limit = setTimeout(() => {
      killGroup(child.pid)
      // A process that left the group may keep the pipes open, and one of another user cannot be killed.
      for (const stream of child.stdio) stream?.destroy()
      child.unref()
      resolve({ status: child.exitCode, ...texts })
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

/** Nobody is in the group any more if the program has ended, and what it started has left the group. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ESRCH', 'EPERM'].includes(code)) throw error
  }
}

/** @returns standard output. @throws {Failure} with the last lines of output */
export async function output(command: readonly string[], options: CommandOptions): Promise<string> {
  const { status, stdout, stderr } = await run(command, options)
  if (status === 0) return stdout
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-10).join('\n')
  const end = status === null ? `timed out after ${options.seconds} seconds` : `exited with status ${status}`
  throw new Failure(`"${command.join(' ').slice(0, 200)}" ${end}${said === '' ? '' : `:\n${said}`}`)
}
