// Who may use the control API: addresses and tokens. It waits for nobody: what does not arrive ends its connection.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { API_TOKEN, policy, startEngine } from '../running-engine.ts'

const ADMIN_TOKEN = 'admin-token-for-the-tests'
const CALLS = [
  ...['status', 'reload', 'why', 'sessions/list', 'sessions/end', 'lockouts/list', 'lockouts/end'],
  ...['permissions/allow', 'permissions/list', 'permissions/end', 'rules'],
  ...['switches/on', 'switches/list', 'switches/off', 'codes/new', 'codes/list', 'codes/end'],
]
const bearer = (token: string) => ({ 'content-type': 'application/json', authorization: `Bearer ${token}` })

test('every administration call requires the token, and is a POST', async (t) => {
  const engine = await startEngine(t, policy(''))
  for (const call of CALLS) {
    const path = `/api/admin/${call}`
    for (const headers of [{}, bearer(`${API_TOKEN}x`), { authorization: API_TOKEN }]) {
      const { status, headers: answered } = await engine.ask('POST', path, headers, '{}')
      assert.deepEqual([call, status, answered['www-authenticate']], [call, 401, 'Bearer'])
    }
    assert.equal((await engine.ask('GET', path, bearer(API_TOKEN))).status, 405)
    assert.equal((await engine.ask('POST', path, bearer(API_TOKEN), '[]')).status, 400)
  }
  assert.equal((await engine.ask('POST', '/api/admin/nonsense', bearer(API_TOKEN), '{}')).status, 404)
  assert.ok(!engine.logText().includes(API_TOKEN))
})

test('with an administration token the API token does not suffice, nor the other way round', async (t) => {
  const engine = await startEngine(t, policy('', '', `api_token = "${API_TOKEN}"\nadmin_token = "${ADMIN_TOKEN}"`))
  for (const call of CALLS) {
    const refused = await engine.ask('POST', `/api/admin/${call}`, bearer(API_TOKEN), '{}')
    assert.deepEqual([call, refused.status], [call, 403])
    assert.match(String(refused.json.detail), /\[control\] admin_token/)
    assert.equal((await engine.ask('POST', `/api/admin/${call}`, bearer('x'.repeat(20)), '{}')).status, 401)
  }
  assert.equal((await engine.ask('POST', '/api/admin/status', bearer(ADMIN_TOKEN), '{}')).status, 200)
  const decision = JSON.stringify({ url: 'https://x.example/', client: '198.51.100.7' })
  assert.equal((await engine.ask('POST', '/api/decision', bearer(ADMIN_TOKEN), decision)).status, 401)
  assert.equal((await engine.ask('POST', '/api/decision', bearer(API_TOKEN), decision)).status, 200)
  for (const token of [API_TOKEN, ADMIN_TOKEN]) assert.ok(!engine.logText().includes(token))
})

test('an address that is not in `clients` is refused whatever it sends, and its connection ends', async (t) => {
  const control = `api_token = "${API_TOKEN}"\nclients = ["192.0.2.0/24", "2001:db8::1"]`
  const engine = await startEngine(t, policy('', '', control))
  for (const [method, path, body] of [
    ['GET', '/healthz', undefined],
    ['POST', '/api/decision', 'x'.repeat(100_000)],
    ['GET', '/nonsense', undefined],
    ['POST', '/api/admin/status', '{}'],
  ] as const) {
    const { status, headers, json } = await engine.ask(method, path, bearer(API_TOKEN), body)
    assert.deepEqual([path, status, headers.connection], [path, 403, 'close'])
    assert.equal(json.detail, '127.0.0.1 is not in [control] clients.')
  }
})

test('an address in `clients` still needs the token', async (t) => {
  const control = `api_token = "${API_TOKEN}"\nclients = ["10.0.0.0/8", "::ffff:127.0.0.0/104"]`
  const engine = await startEngine(t, policy('', '', control))
  assert.equal((await engine.ask('POST', '/api/admin/status', {}, '{}')).status, 401)
  assert.equal((await engine.ask('POST', '/api/admin/status', bearer(API_TOKEN), '{}')).status, 200)
  assert.equal((await engine.ask('GET', '/healthz')).status, 200)
})

const HEAD = `POST /api/decision HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${API_TOKEN}\r\nContent-Type: application/json\r\n`
const UNFINISHED: Readonly<Record<string, string>> = {
  'a head': HEAD,
  'a body': `${HEAD}Content-Length: 100\r\n\r\n{"url":`,
  'a body in chunks': `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{"`,
}
/** Ten seconds, of which the server looks once a second, and what a busy machine adds. */
const [LEAST_MS, MOST_MS] = [9_000, 20_000]

describe('what does not end', { concurrency: true, timeout: 40_000 }, async () => {
  const engine = await startEngine({ after }, policy(''))
  for (const [what, bytes] of Object.entries(UNFINISHED)) {
    test(`${what} is 408 after ten seconds`, async () => {
      const ca = readFileSync(join(engine.folder, 'ca/ca.crt'))
      const socket = connect({ port: engine.port, host: '127.0.0.1', ca })
      socket.on('error', () => {})
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      await once(socket, 'secureConnect')
      const startedAt = performance.now()
      socket.write(bytes)
      await once(socket, 'close', { signal: AbortSignal.timeout(MOST_MS) })
      const milliseconds = performance.now() - startedAt
      assert.ok(milliseconds > LEAST_MS && milliseconds < MOST_MS, `closed after ${milliseconds.toFixed(0)} ms`)
      assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n.*\r\nConnection: close\r\n/s)
    })
  }
})
