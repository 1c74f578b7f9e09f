// The clients of Debian's package c-icap, which were not written with this listener in mind.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Cleanup } from '../../support/cleanup.ts'
import { hasCommand, skipUnless } from '../../support/requirement.ts'
import { REDIRECT } from './in-memory.ts'
import { IDENTITY } from './messages.ts'
import { startIcap } from './running-icap.ts'

const skip = skipUnless(
  hasCommand('c-icap-client') && hasCommand('c-icap-stretch'),
  'needs clients of ICAP: apt-get install c-icap',
)
const OPEN = 'http://open.example/'
const CASINO = 'http://casino.example/a?b'
const identity = IDENTITY.flatMap((field) => ['-x', field])
const run = promisify(execFile)

async function start(t: Cleanup) {
  const folder = await mkdtemp(join(tmpdir(), 'c-icap-'))
  t.after(() => rm(folder, { recursive: true }))
  const { port } = await startIcap(t)
  const server = ['-i', '127.0.0.1', '-p', `${port}`, '-s', 'reqmod']
  return {
    path: (name: string) => join(folder, name),
    /** What it writes of the response. */
    async client(...options: string[]): Promise<string> {
      const { stdout, stderr } = await run('c-icap-client', [...server, '-v', ...options], { timeout: 10_000 })
      return stdout + stderr
    },
    /** Its statistics, which it writes every second, once it has had so many responses. An interrupt may not end it. */
    async stretch(responses: number, ...options: string[]): Promise<string> {
      // Line by line: it writes to a pipe only when its buffer is full.
      const words = ['-oL', 'c-icap-stretch', ...server, ...options]
      const child = spawn('stdbuf', words, { stdio: ['ignore', 'pipe', 'inherit'] })
      t.after(async () => child.kill('SIGKILL'))
      let text = ''
      for await (const chunk of child.stdout) {
        text += chunk
        if (Number(/.*Requests served :(\d+).*Write Errors :/s.exec(text)?.[1]) >= responses) child.kill('SIGKILL')
      }
      return text
    },
  }
}

test('c-icap-client: OPTIONS', { skip }, async (t) => {
  const { client } = await start(t)
  const text = await client()
  for (const line of [/\tAllow 204: Yes\n/, /\tPreview: 0\n/, /\tKeep alive: Yes\n/, /\tMethods: REQMOD\n/]) {
    assert.match(text, line)
  }
})

test('c-icap-client: allowed', { skip }, async (t) => {
  const { client, path } = await start(t)
  const body = Buffer.alloc(200_000, 'a body of many chunks')
  await writeFile(path('body'), body)
  const post = [...identity, '-req', OPEN, '-method', 'POST', '-f', path('body')]
  assert.match(await client(...identity, '-req', OPEN), /\n\tICAP\/1\.0 204 /)
  assert.match(await client(...post), /\n\tICAP\/1\.0 204 /)
  assert.match(await client(...post, '-nopreview'), /\n\tICAP\/1\.0 204 /)
  // Neither a preview nor 204: the request comes back.
  assert.match(await client(...post, '-nopreview', '-no204', '-o', path('echo')), /\n\tICAP\/1\.0 200 OK/)
  assert.ok(body.equals(await readFile(path('echo'))))
})

test('c-icap-client: stopped', { skip }, async (t) => {
  const { client, path } = await start(t)
  await writeFile(path('body'), Buffer.alloc(200_000, 'a body of many chunks'))
  const post = [...identity, '-req', CASINO, '-method', 'POST', '-f', path('body')]
  for (const [text, status] of [
    [await client(...identity, '-req', CASINO), '302 Found'],
    [await client(...post, '-nopreview'), '303 See Other'],
    [await client(...post, '-nopreview', '-no204'), '303 See Other'],
  ] as const) {
    assert.ok(text.includes(`\n\tHTTP/1.1 ${status}\n\tLocation: ${REDIRECT}\n\tCache-Control: no-store\n`), text)
  }
  // After a preview it prints no head of the response.
  assert.match(await client(...post, '-d', '10'), /Preview response was with status: 200/)
})

test('c-icap-client: refused', { skip }, async (t) => {
  const { client } = await start(t)
  assert.match(await client('-req', OPEN, '-x', 'X-Client-IP: 10.0.0.1'), /\n\tICAP\/1\.0 403 /)
  assert.match(await client('-req', OPEN, ...identity.slice(0, 2)), /\n\tICAP\/1\.0 400 .*icap_send_client_ip/)
})

test('c-icap-stretch: two Allow lines, no 204', { skip, timeout: 60_000 }, async (t) => {
  const { stretch, path } = await start(t)
  await writeFile(path('urls'), `${OPEN}\n${CASINO}\n`)
  const text = await stretch(5, '-req', '-urls', path('urls'), '-m', '1000', '-t', '2', ...identity)
  assert.match(text, /Requests served :[1-9]/)
  const failures = Array.from(text.matchAll(/(?:failed|Write Errors) :(\d+)/g), ([, count]) => count)
  assert.ok(failures.length >= 2, text)
  assert.deepEqual(new Set(failures), new Set(['0']), text)
})
