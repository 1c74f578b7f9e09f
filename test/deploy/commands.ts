// Runs the commands of documentation pages in a sandbox.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAIN } from '../gatewayctl/gatewayctl.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { ROOT } from './command-blocks.ts'

/** Creates a folder that replaces the paths in the pages, and a PATH with the programs that they call. */
export function sandbox(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'documented-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const here = join(folder, 'checkout')
  for (const name of ['bin', 'checkout', 'backup', 'etc', 'var/lib/portal']) {
    mkdirSync(join(folder, name), { recursive: true })
  }
  for (const name of [
    'deploy',
    'src',
    'scripts',
    'package.json',
    'package-lock.json',
    '.npmrc',
    '.dockerignore',
    'LICENSE',
  ]) {
    cpSync(join(ROOT, name), join(here, name), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(here, 'node_modules'))
  const program = (name: string, script: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  program('gatewayctl', `exec '${process.execPath}' '${MAIN}' "$@"`)
  // Only root may change a file's owner: otherwise the file is world-readable instead.
  if (process.getuid?.() !== 0) program('chown', 'shift; exec chmod 444 "$@"')
  // Without Docker's compose plugin, the old program is used.
  if (spawnSync('docker', ['compose', 'version']).status !== 0) {
    const docker = spawnSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).stdout.trim()
    program('docker', `[ "$1" = compose ] && shift && exec docker-compose "$@"\nexec '${docker}' "$@"`)
  }
  return {
    folder,
    here,
    env: {
      ...COMPILE_CACHE,
      PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
    },
    inside: (text: string) => text.replaceAll(/\/(?=(?:etc\/gateway|var\/lib\/portal|backup)\b)/g, `${folder}/`),
  }
}

/** Runs commands to their end. @throws {AssertionError} with all output, if one fails or takes longer than `seconds` */
export function run(
  text: string,
  { seconds = 60, ...options }: { cwd: string; env: NodeJS.ProcessEnv; seconds?: number },
): { readonly stdout: string; readonly stderr: string } {
  const ended = spawnSync('/bin/sh', ['-ec', text], { ...options, encoding: 'utf8', timeout: seconds * 1000 })
  assert.equal(ended.status, 0, `${text}\n${ended.stdout}${ended.stderr}`)
  return ended
}

/** Starts a long-running command, waits until the condition is true, and then stops it with all its processes. */
export async function runUntil(
  text: string,
  options: { cwd: string; env: NodeJS.ProcessEnv; seconds: number },
  isReached: (output: string) => boolean | Promise<boolean>,
): Promise<void> {
  const child = spawn('/bin/sh', ['-ec', text], { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
  }
  try {
    for (const deadline = Date.now() + options.seconds * 1000; !(await isReached(output)); await sleep(100)) {
      assert.equal(child.exitCode, null, `it has exited:\n${text}\n${output}`)
      assert.ok(Date.now() < deadline, `it did not get there in time:\n${text}\n${output}`)
    }
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGINT')
    await exit
  }
}
