// `npm start` as a process: run until it is ready, and ended with Ctrl-C.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import packageJson from '#package' with { type: 'json' }
import { temporaryFolder } from './temporary-folder.ts'
import { until } from './until.ts'

const START_SECONDS = 40

/** @returns an environment in which a program of this name is found first: a shell script */
export function programFirst(t: TestContext, name: string, script: string): NodeJS.ProcessEnv {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { ...process.env, PATH: `${folder}:${process.env.PATH}` }
}

/** Runs it until its output matches; `stop` presses Ctrl-C and asserts that nothing is left. */
export async function runDemo(t: TestContext, options: readonly string[], last: RegExp, env = process.env) {
  // npm itself exits by the signal, whatever its script does, so the test checks the script's processes.
  const [command, ...args] = packageJson.scripts.start.split(' ') as [string, ...string[]]
  const demo = spawn(command, [...args, '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env,
  })
  const group = -(demo.pid as number)
  t.after(async () => {
    if (demo.exitCode !== null) return
    process.kill(group, 'SIGINT')
    await until(() => hasExited(group), 5).catch(() => process.kill(group, 'SIGKILL'))
  })
  // Without the expected line, its output ends here, and the assertion below shows it with its errors.
  const deadline = setTimeout(() => process.kill(group, 'SIGINT'), START_SECONDS * 1000)
  let errors = ''
  demo.stderr.on('data', (chunk) => {
    errors += chunk
  })
  let text = ''
  for await (const line of createInterface(demo.stdout)) {
    text += `${line}\n`
    if (last.test(line)) break
  }
  clearTimeout(deadline)
  assert.match(text, last, `${text}${errors}`)
  const commandLines = process.platform === 'linux' ? commandLinesOf(-group) : []
  const folders = found(commandLines, /\/[^\0\s]*\/captive-portal-(?:demo|browser)-\w+/g)
  assert.ok(folders.length >= 1 || process.platform !== 'linux')
  return {
    text,
    async stop() {
      // Like a terminal: every process of the group gets the signal.
      process.kill(group, 'SIGINT')
      const [code] = await once(demo, 'exit')
      assert.equal(code, 0)
      // On a busy machine, processes may still be stopping.
      await until(() => hasExited(group))
      for (const folder of folders) assert.ok(!existsSync(folder), `${folder} is left`)
      for (const name of found(commandLines, /(?<=\bsquid\0(?:.*\0)?-n\0)[^\0]+/g)) {
        const left = readdirSync('/dev/shm').filter((file) => file.startsWith(`${name}-`))
        assert.deepEqual(left, [])
      }
    },
  }
}

function hasExited(group: number): boolean {
  try {
    process.kill(group, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** @returns the command lines of a process group, with a zero byte after each argument */
function commandLinesOf(group: number): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const [, , , , inGroup] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/\(.*\)/, 'name')
        .split(' ')
      return Number(inGroup) === group ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : []
    } catch {
      return []
    }
  })
}

function found(texts: readonly string[], pattern: RegExp): string[] {
  return [...new Set(texts.flatMap((text) => text.match(pattern) ?? []))]
}
