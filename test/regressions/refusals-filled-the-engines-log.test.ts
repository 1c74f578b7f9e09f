// Seen by reading: each control API call with a wrong token, or from an address outside [control] clients, was a line of the log.
// Anyone who reached the port filled the disk with them, at thousands a second. Since there is a log. ICAP's refusals were limited.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefusalLog } from '../../src/engine/monitoring/refusal-log.ts'
import { API_TOKEN, policy, startEngine } from '../engine/running-engine.ts'

const lines = (text: string, message: string) => text.split(`"msg":"${message}"`).length - 1

test('calls with a wrong token: one line for each path', async (t) => {
  const engine = await startEngine(t, policy(''))
  for (const path of ['/api/admin/status', '/api/decision']) {
    for (let count = 0; count < 20; count++) {
      assert.equal((await engine.ask('POST', path, { authorization: 'Bearer wrong' }, '{}')).status, 401)
    }
  }
  assert.equal(lines(engine.logText(), 'control API request rejected: token missing or wrong'), 2)
})

test('calls from another address: one line', async (t) => {
  const engine = await startEngine(t, policy('', '', `api_token = "${API_TOKEN}"\nclients = ["192.0.2.1"]`))
  for (let count = 0; count < 20; count++) assert.equal((await engine.ask('GET', `/${count}`)).status, 403)
  assert.equal(lines(engine.logText(), 'not in [control] clients'), 1)
})

test('control: another problem at once, and the same one after ten seconds', () => {
  let now = 0
  const logged: unknown[] = []
  const logRefusal = createRefusalLog({ warn: (fields: object) => logged.push(fields) } as never, () => now)
  for (const [at, problem] of [
    [0, 'a'],
    [9_999, 'a'],
    [9_999, 'b'],
    [10_000, 'a'],
  ] as const) {
    now = at
    logRefusal('refused', problem, { problem, at })
  }
  assert.deepEqual(logged, [
    { problem: 'a', at: 0 },
    { problem: 'b', at: 9_999 },
    { problem: 'a', at: 10_000 },
  ])
})
