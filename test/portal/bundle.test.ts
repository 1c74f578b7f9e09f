// The portal as bundled in the image, in plain JavaScript: that it is complete, and its memory and CPU time. The bounds
// are for a busy machine; docs/performance.md has the figures.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { databases } from '../support/databases.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { ACK_TOKEN, claims, verdictQuery, verdictTarget } from '../support/payloads.ts'
import { policyFiles } from '../support/policy-files.ts'
import { startPortalProcess } from '../support/portal-process.ts'
import { postgresUrl } from '../support/postgres-server.ts'
import { cpuSeconds, nodeSeconds, residentBytes } from '../support/processes.ts'
import { skipUnless } from '../support/requirement.ts'

const skip = skipUnless(existsSync('/proc/self/stat'), 'needs /proc, which reports what a process uses')
const folder = mkdtempSync(join(tmpdir(), 'portal-bundle-'))
const program = join(folder, 'portal', 'main.js')

before(() => {
  // As in the image: without it Node reads each file twice to detect its module type.
  writeFileSync(join(folder, 'package.json'), readFileSync('package.json'))
  execFileSync(process.execPath, ['scripts/bundle.ts', join(folder, 'portal')], { timeout: 60_000 })
})
after(() => rmSync(folder, { recursive: true }))

const start = (t: TestContext, env: Readonly<Record<string, string>> = {}, nodeOptions: readonly string[] = []) =>
  startPortalProcess(t, env, nodeOptions, program)

test('less than 100 MB without load, and the CPU time of 13 starts of Node to start', { skip }, async (t) => {
  const portal = start(t, { ENGINE_INTERNAL_URL: 'https://127.0.0.1:1' })
  const address = await portal.listening
  const pid = portal.child.pid as number
  const used = cpuSeconds(pid)
  assert.equal((await fetch(`${address}/healthz`)).status, 200)
  const alone = nodeSeconds()
  const milliseconds = `${Math.round(used * 1000)} ms, Node alone ${Math.round(alone * 1000)} ms`
  t.diagnostic(`${Math.round(residentBytes(pid) / 1e6)} MB, ${milliseconds}`)
  assert.ok(residentBytes(pid) < 100e6, `${residentBytes(pid)} bytes`)
  assert.ok(used < 13 * alone, `${used} s`)
})

test('--check', async (t) => {
  const portal = startPortalProcess(t, {}, [], program, ['--check'])
  assert.equal(await portal.ended, 0, portal.errors())
  assert.equal(portal.lines.at(-1), 'no problems')
})

test('an SQLite file, and the operator’s policy', async (t) => {
  const engine = await startHostileEngine(t, respondWith(rawResponse('302 Found', ['Location: https://news.example/'])))
  const { env } = policyFiles(t, { 'aup.md': '# House rules' })
  const portal = start(t, { ENGINE_INTERNAL_URL: engine.url, ...env })
  const address = await portal.listening
  const verdict = claims(Math.floor(Date.now() / 1000), { kind: 'aup', ack_token: ACK_TOKEN })
  assert.match(await (await fetch(address + verdictTarget(verdict))).text(), /<h2>House rules<\/h2>/)
  const response = await fetch(`${address}/api/captive/ack?${verdictQuery(verdict)}`, { redirect: 'manual' })
  assert.equal(response.status, 302)
  portal.child.kill('SIGINT')
  assert.equal(await portal.ended, 0)
})

for (const { name, skip, create } of databases.filter(({ name }) => name === 'PostgreSQL')) {
  test(name, { skip }, async (t) => {
    const location = await create(t)
    const portal = start(t, { GATEWAY_CAPTIVE_DATABASE_URL: postgresUrl(location) })
    await portal.listening
    assert.ok(portal.lines.some((line) => line.includes('"synchronous_commit":"on"')))
  })
}

test('a stack trace names functions, and with --enable-source-maps the lines of the sources', async (t) => {
  const stack = async (nodeOptions: readonly string[]) => {
    const portal = start(t, { GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${folder}/no-folder/portal.db` }, nodeOptions)
    assert.equal(await portal.ended, 1)
    return JSON.parse(portal.lines.at(-1) as string).err.stack as string
  }
  assert.match(await stack([]), /at (async )?openLedger \(file:.*\.js:\d+:\d+\)/)
  assert.match(await stack(['--enable-source-maps']), /openLedger \(.*src\/ledger\/ledger\.ts:\d+:\d+\)/)
})
