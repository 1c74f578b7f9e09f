// handshakes.json: what arrives by UDP is in it a moment later, and no reader finds half of it.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startHandshakeLog } from '../../src/proxy/handshakes/handshake-log.ts'
import type { HandshakeReport } from '../../src/proxy/handshakes/handshakes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

async function startedLog(t: TestContext, clock = Date.now) {
  const folder = temporaryFolder(t)
  const complaints: string[] = []
  const log = await startHandshakeLog({
    folder,
    clock,
    milliseconds: 10,
    report: (line) => complaints.push(line),
  })
  t.after(() => log.stop())
  const socket = createSocket('udp4').unref()
  t.after(async () => socket.close())
  const path = join(folder, 'handshakes.json')
  return {
    ...{ folder, path, complaints },
    read: (): HandshakeReport => JSON.parse(readFileSync(path, 'utf8')),
    send: (line: string, token = log.target.token) => socket.send(`${token} ${line}\n`, log.target.port, '127.0.0.1'),
  }
}
const FAILED = 'ERR_SECURE_ACCEPT_FAIL SQUID_TLS_ERR_ACCEPT+TLS_IO_ERR=5 CONNECT pinned.example'

test('the file exists from the start, and follows what arrives', async (t) => {
  const { path, read, send } = await startedLog(t)
  await until(() => read().hosts.length === 0)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  send(`192.0.2.7 ${FAILED}`, 'another')
  send(`192.0.2.8 ${FAILED}`)
  await until(() => read().hosts.length === 1)
  assert.equal(read().hosts[0]?.broke_off, 1)
})

test('it is rewritten each minute', async (t) => {
  let now = Date.parse('2026-11-26T08:00:00Z')
  const { read } = await startedLog(t, () => now)
  await until(() => read().at === '2026-11-26T08:00:00.000Z')
  now += 59_000
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(read().at, '2026-11-26T08:00:00.000Z')
  now += 1000
  await until(() => read().at === '2026-11-26T08:01:00.000Z')
})

test('a file that cannot be written is reported once', async (t) => {
  const { folder, complaints, send } = await startedLog(t)
  await until(() => statSync(join(folder, 'handshakes.json'), { throwIfNoEntry: false }) !== undefined)
  rmSync(folder, { recursive: true })
  for (const client of [1, 2, 3]) {
    send(`192.0.2.${client} ${FAILED}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  await until(() => complaints.length > 0)
  assert.equal(complaints.length, 1)
  assert.match(complaints[0] ?? '', /handshakes\.json cannot be written: /)
})
