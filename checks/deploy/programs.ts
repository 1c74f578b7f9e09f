// Runs programs for the check and reports their results.
import { type SpawnOptions, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { EXIT_CANNOT_RUN } from '../check.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export function print(line: string): void {
  process.stderr.write(`deploy: ${line}\n`)
}

/** Exits with the status for a check that cannot run on this machine. */
export function exitCannotRun(reason: string): never {
  print(`cannot run: ${reason}`)
  process.exit(EXIT_CANNOT_RUN)
}

/** Runs a command in the repository's folder; exits when it fails. */
export async function runOrExit(what: string, command: readonly string[]): Promise<void> {
  print(what)
  if (await succeeds(command, { stdio: ['ignore', 'ignore', 'inherit'] })) return
  print(`"${command.slice(0, 2).join(' ')} …" failed`)
  process.exit(1)
}

/** Runs test files one after the other, with their report on standard output. @returns whether all passed */
export async function passes(prefix: readonly string[], files: readonly string[]): Promise<boolean> {
  return await succeeds([...prefix, ...testCommand(files)], { stdio: 'inherit' })
}

/** The command is killed when this process exits. */
async function succeeds([program = '', ...args]: readonly string[], options: SpawnOptions): Promise<boolean> {
  const child = spawn(program, args, { ...options, cwd: ROOT })
  const kill = () => child.kill()
  process.once('exit', kill)
  const hasSucceeded = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false)).once('exit', (status) => resolve(status === 0))
  })
  process.removeListener('exit', kill)
  return hasSucceeded
}

export const testCommand = (files: readonly string[]): readonly string[] => [
  ...[process.execPath, '--test', '--test-reporter=spec', '--test-concurrency=1', '--test-timeout=300000'],
  ...files,
]
