// The engine as a process: its second line with "listening", and its answers with the sample policy.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { logLine } from '../../support/log-line.ts'
import { SECRET } from '../../support/payloads.ts'
import { ask } from './icap-client.ts'
import { get, hosts, OPTIONS, reqmod, TOKEN } from './messages.ts'

const source = (name: string) => fileURLToPath(new URL(`../../../src/engine/${name}`, import.meta.url))

test('--icap and --icap-token-file', { timeout: 20_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'engine-icap-'))
  t.after(() => rm(folder, { recursive: true }))
  const secretFile = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const args = [
    ...[source('main.ts'), '--config', source('sample-policy.toml'), '--publish', folder, '--listen', '127.0.0.1:0'],
    ...['--secret-file', await secretFile('secret', SECRET)],
    ...['--api-token-file', await secretFile('api-token', 'token-for-the-tests-0123')],
    ...['--ops', '127.0.0.1:0', '--icap', '127.0.0.1:0', '--icap-token-file', await secretFile('icap-token', TOKEN)],
  ]
  const child = spawn(process.execPath, args, { env: COMPILE_CACHE, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => child.kill('SIGKILL'))
  let log = ''
  child.stdout.on('data', (chunk) => {
    log += chunk
  })
  const line = await logLine(child.stdout, /listening on icap:/)
  const port = Number(/listening on icap:\/\/127\.0\.0\.1:([0-9]+)"/.exec(`${line}`)?.[1])
  const stopped = reqmod({ http: get('http://casino.localhost/') })
  const [options, allowed, redirected] = await ask(port, OPTIONS + reqmod({ fields: ['Preview: 0'] }) + stopped)
  assert.match(options?.head ?? '', /\r\nISTag: "[\w-]{22}"\r\n/)
  assert.equal(allowed?.status, 204)
  assert.match(redirected?.http ?? '', /^HTTP\/1\.1 302 Found\r\nLocation: \S+\/blocked\?p=/)
  const [asked] = await ask(port, hosts(['casino.localhost', 'open.example', '?']))
  assert.deepEqual(asked?.head.match(/(?<=X-Ruled: )\w+/g), ['yes', 'no', 'yes'])
  const [, operations] = /operations listener on (http:[^"]+)"/.exec(log) ?? []
  const metrics = await (await fetch(`${operations}/metrics`)).text()
  assert.match(metrics, /^engine_hosts_total\{ruled="yes"\} 2\nengine_hosts_total\{ruled="no"\} 1$/m)
  const decisions = [...metrics.matchAll(/^engine_decisions_total\{.*\} ([0-9]+)$/gm)]
  assert.deepEqual(
    decisions.map(([, count]) => count),
    ['1', '1'],
  )
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.match(log, /"door":"icap"/)
  assert.ok(!log.includes(TOKEN))
})
