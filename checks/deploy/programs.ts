// The programs that the check runs, and what it says of them.
import { type SpawnOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXIT_CANNOT_RUN } from '../check.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export function say(line: string): void {
  process.stderr.write(`deploy: ${line}\n`)
}

/** What was to be checked cannot be tried on this machine; no failure. */
export function cannot(reason: string): never {
  say(`not done: ${reason}`)
  process.exit(EXIT_CANNOT_RUN)
}

export function has(command: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, command)))
}

/** Runs it in the repository's folder; without success this process ends. */
export async function must(what: string, words: readonly string[]): Promise<void> {
  say(what)
  if (await succeeds(words, { stdio: ['ignore', 'ignore', 'inherit'] })) return
  say(`"${words.slice(0, 2).join(' ')} …" failed`)
  process.exit(1)
}

/** Runs test files one after the other, with their report on standard output. @returns whether all is well */
export async function passes(
  before: readonly string[],
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  return await succeeds([...before, ...testing(files)], { stdio: 'inherit', env: { ...process.env, ...env } })
}

/** It does not outlive this process. */
async function succeeds([program = '', ...args]: readonly string[], options: SpawnOptions): Promise<boolean> {
  const child = spawn(program, args, { ...options, cwd: ROOT })
  const kill = () => child.kill()
  process.once('exit', kill)
  const isGood = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false)).once('exit', (status) => resolve(status === 0))
  })
  process.removeListener('exit', kill)
  return isGood
}

export const testing = (files: readonly string[]): readonly string[] => [
  ...[process.execPath, '--test', '--test-reporter=spec', '--test-concurrency=1', '--test-timeout=300000'],
  ...files,
]
