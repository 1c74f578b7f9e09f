// A payload that is sealed with a key that the portal does not have: one error, whatever strangers send.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealPayload } from '../../../src/contract/seal.ts'
import { deriveKeyring } from '../../../src/contract/secret.ts'
import { createUnknownKeyLog } from '../../../src/portal/monitoring/unknown-keys.ts'
import { ACK_TOKEN, claims } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'

const MINUTE = 60_000

function start() {
  let now = 0
  const logged: unknown[] = []
  const log = { error: (members: object) => void logged.push(Object.values(members)[0]) } as never
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { report: createUnknownKeyLog({ log, clock: () => now }), logged, pass }
}

test('an engine with another secret: one error for all pages and acknowledgements', async (t) => {
  const portal = await startPortal(t, { env: { ENGINE_INTERNAL_URL: 'http://127.0.0.1:1' } })
  const { sealing } = deriveKeyring(['an0ther-secret-of-this-test-0123456789abc'])
  const seal = () => `?p=${sealPayload(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN }), sealing)}&v=1&ts=${NOW}`
  for (let count = 0; count < 3; count++) {
    for (const path of ['/warned', '/api/captive/ack']) assert.equal((await portal.get(path + seal())).status, 403)
    portal.setTime(NOW + (count + 1) * 100)
  }
  const errors = portal.logged().filter(({ level }) => level === 50)
  assert.equal(errors.length, 1)
  assert.equal(errors[0]?.keyId, sealing.kid)
  assert.match(String(errors[0]?.msg), /GATEWAY_CAPTIVE_SHARED_SECRET/)
})

test('each key id once, and at most one a minute', () => {
  const { report, logged, pass } = start()
  for (const key of ['AAAAAAAA', 'AAAAAAAA', 'BBBBBBBB']) report(key)
  assert.deepEqual(logged, ['AAAAAAAA'])
  pass(MINUTE)
  for (const key of ['AAAAAAAA', 'BBBBBBBB', 'CCCCCCCC']) report(key)
  assert.deepEqual(logged, ['AAAAAAAA', 'BBBBBBBB'])
  // A clock that is set back must not end the reports.
  pass(-10 * MINUTE)
  report('CCCCCCCC')
  assert.deepEqual(logged.at(-1), 'CCCCCCCC')
})

test('only what may be a key id is logged', () => {
  const { report, logged } = start()
  for (const text of ['', 'short', 'x'.repeat(9), 'AAAA\nAAA', 'ＡAAAAAAA']) report(text)
  assert.deepEqual(logged, [])
})

test('made-up key ids take no memory: the oldest are forgotten', () => {
  const { report, logged, pass } = start()
  const key = (number: number) => String(number).padStart(8, '0')
  for (let number = 0; number < 1000; number++) {
    report(key(number))
    pass(MINUTE)
  }
  report(key(999))
  assert.equal(logged.length, 1000)
  report(key(0))
  assert.equal(logged.length, 1001)
})
