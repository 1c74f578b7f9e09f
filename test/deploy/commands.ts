// The commands of a documentation page, and what they run in.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MAIN } from '../gatewayctl/gatewayctl.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Block {
  readonly text: string
  /** Why it is not run. */
  readonly reason: string | undefined
}

/** Fenced commands; README.md's have no language, where that of other pages is output. */
export function commandBlocks(page: string, languages: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const pattern = new RegExp(
    `(?:^ *<!-- not run: (.+) -->\\n)?^( *)\`\`\`(${languages})\\n([\\s\\S]*?)^ *\`\`\`$`,
    'gm',
  )
  return Array.from(text.matchAll(pattern), ([, reason, indent = '', , body = '']) => ({
    reason,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** A folder that stands in for the places that the pages name, and a PATH with the programs that they call. */
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
  const program = (name: string, script: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  program('gatewayctl', `exec '${process.execPath}' '${MAIN}' "$@"`)
  // Only root gives files away: otherwise everyone may read them instead.
  if (process.getuid?.() !== 0) program('chown', 'shift; exec chmod 444 "$@"')
  // Where compose is not a plugin of docker, it is the program of old.
  if (spawnSync('docker', ['compose', 'version']).status !== 0) {
    const docker = spawnSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).stdout.trim()
    program('docker', `[ "$1" = compose ] && shift && exec docker-compose "$@"\nexec '${docker}' "$@"`)
  }
  return {
    folder,
    here,
    env: { PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder },
    inside: (text: string) => text.replaceAll(/\/(?=(?:etc\/gateway|var\/lib\/portal|backup)\b)/g, `${folder}/`),
  }
}

/** Starts what stays, until it has said this or the condition is true; then ends it with all that it started. */
export async function runUntil(
  text: string,
  options: { cwd: string; env: NodeJS.ProcessEnv; seconds: number },
  isReached: (said: string) => boolean | Promise<boolean>,
): Promise<void> {
  const child = spawn('/bin/sh', ['-ec', text], { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(child, 'close')
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      said += chunk
    })
  }
  try {
    for (const deadline = Date.now() + options.seconds * 1000; !(await isReached(said)); await sleep(100)) {
      assert.equal(child.exitCode, null, `it has ended:\n${text}\n${said}`)
      assert.ok(Date.now() < deadline, `it does not come so far:\n${text}\n${said}`)
    }
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGINT')
    await exit
  }
}
