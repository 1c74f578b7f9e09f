// Who may use the control API: addresses and tokens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API_TOKEN, policy, startEngine } from '../running-engine.ts'

const ADMIN_TOKEN = 'admin-token-for-the-tests'
const CALLS = [
  ...['status', 'reload', 'why', 'sessions/list', 'sessions/end', 'lockouts/list', 'lockouts/end'],
  ...['permissions/allow', 'permissions/list', 'permissions/end'],
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
  const engine = await startEngine(
    t,
    policy('', '', `api_token = "${API_TOKEN}"\nclients = ["192.0.2.0/24", "2001:db8::1"]`),
  )
  const body = 'x'.repeat(100_000)
  for (const [method, path] of [
    ['GET', '/healthz'],
    ['POST', '/api/decision'],
    ['GET', '/nonsense'],
    ['POST', '/api/admin/status'],
  ] as const) {
    const { status, headers, json } = await engine.ask(
      method,
      path,
      bearer(API_TOKEN),
      method === 'POST' ? body : undefined,
    )
    assert.deepEqual([path, status, headers.connection], [path, 403, 'close'])
    assert.equal(json.detail, '127.0.0.1 is not in [control] clients.')
  }
})

test('an address in `clients` still needs the token', async (t) => {
  for (const clients of ['["127.0.0.1"]', '["::ffff:127.0.0.0/104"]', '["10.0.0.0/8", "127.0.0.0/8"]']) {
    const engine = await startEngine(t, policy('', '', `api_token = "${API_TOKEN}"\nclients = ${clients}`))
    assert.equal((await engine.ask('POST', '/api/admin/status', {}, '{}')).status, 401)
    assert.equal((await engine.ask('POST', '/api/admin/status', bearer(API_TOKEN), '{}')).status, 200)
    assert.equal((await engine.ask('GET', '/healthz')).status, 200)
  }
})
