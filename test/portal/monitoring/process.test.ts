// The operations listener of the portal's own process, and what is logged about the engine at the start.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { deriveKeyring } from '../../../src/contract/secret.ts'
import { reportEngine } from '../../../src/portal/monitoring/report-engine.ts'
import { freePort } from '../../support/free-port.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { SECRET } from '../../support/payloads.ts'
import { startPortalProcess } from '../../support/portal-process.ts'
import { until } from '../../support/until.ts'
import { valuesOf } from './operations.ts'

test('the start, readiness and metrics share one request to the engine, and no metric occurs twice', async (t) => {
  const engine = await startHostileEngine(t, respondWith(rawResponse('404 Not Found')))
  const port = await freePort()
  const portal = startPortalProcess(t, {
    GATEWAY_CAPTIVE_OPS_PORT: `${port}`,
    GATEWAY_CAPTIVE_SSL_BUMP: 'off',
    ENGINE_INTERNAL_URL: engine.url,
  })
  const address = await portal.listening
  for (let count = 0; count < 4; count++) await fetch(`${address}/healthz`, { headers: { connection: 'close' } })
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const readyz = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as { ready: boolean; checks: object }
  assert.ok(readyz.ready)
  assert.deepEqual(Object.keys(readyz.checks), ['engine', 'secret', 'database', 'certificate', 'eventLoop'])
  assert.equal(engine.connections.length, 1)
  const values = valuesOf(metrics)
  assert.equal(values.get('gateway_captive_requests_total{route="/healthz",status="200"}'), 4)
  assert.equal(values.get('gateway_captive_check{check="engine"}'), 1)
  assert.equal(values.get('gateway_captive_ledger_waiting{state="pending"}'), 0)
  const names = Array.from(metrics.matchAll(/^# HELP (\S+)/gm), ([, name]) => name)
  assert.equal(new Set(names).size, names.length)
  portal.child.kill('SIGINT')
  assert.equal(await portal.ended, 0)
})

for (const [name, setting] of [
  ['operations listener', 'GATEWAY_CAPTIVE_OPS'],
  ['listener', 'GATEWAY_CAPTIVE_LISTEN'],
]) {
  test(`the port of the ${name} is in use: one clear line, and status 1`, async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const portal = startPortalProcess(t, { [`${setting}_PORT`]: `${port}` })
    assert.equal(await portal.ended, 1)
    const { level, msg, err } = JSON.parse(portal.lines.at(-1) ?? '{}')
    const said = `cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE); ${setting}_HOST, ${setting}_PORT`
    assert.deepEqual([level, msg, err], [60, said, undefined])
    assert.equal(portal.errors(), '')
  })
}

const KEY = deriveKeyring([SECRET]).sealing.kid

type Health = Awaited<ReturnType<Parameters<typeof reportEngine>[0]['readEngineHealth']>>

async function reported(healths: readonly Health[]) {
  const lines: string[] = []
  const write = (level: string) => (first: unknown, second?: string) =>
    void lines.push(`${level} ${second ?? first}${second === undefined ? '' : ` ${JSON.stringify(first)}`}`)
  const log = { info: write('info'), warn: write('warn'), error: write('error') } as never
  const remaining = [...healths]
  const readEngineHealth = async () => remaining.shift() ?? assert.fail('asked too often')
  await reportEngine({ readEngineHealth, keyIds: [KEY], log, retryMilliseconds: 1 })
  assert.equal(remaining.length, 0)
  return lines
}

test('nothing, where the engine responds and has the same secret, or does not report it', async () => {
  assert.deepEqual(await reported([{ keyId: KEY }]), [])
  assert.deepEqual(await reported([{ keyId: undefined }]), [])
})

test('an engine that starts later: one warning, and when it is reachable', async () => {
  const [warning, reachable, ...more] = await reported([
    { reason: 'ECONNREFUSED' },
    { reason: 'other' },
    { keyId: KEY },
  ])
  assert.match(`${warning}`, /^warn the engine is not reachable yet: .* \{"reason":"ECONNREFUSED"\}$/)
  assert.deepEqual([reachable, more], ['info the engine is reachable', []])
})

test('another secret: an error with both key ids, also of an engine that starts later', async () => {
  for (const before of [[], [{ reason: 'ECONNREFUSED' }]]) {
    const error = (await reported([...before, { keyId: 'AAAAAAAA' }])).at(-1)
    assert.match(`${error}`, new RegExp(`^error .*AAAAAAAA.*${KEY}.*GATEWAY_CAPTIVE_SHARED_SECRET`))
  }
})

test('an engine with another secret is an error in the log, and pages are served all the same', async (t) => {
  const engine = await startHostileEngine(t, respondWith(rawResponse('200 OK', [], '{"status":"ok","kid":"AAAAAAAA"}')))
  const portal = startPortalProcess(t, { ENGINE_INTERNAL_URL: engine.url })
  const address = await portal.listening
  const mismatch = await until(() => portal.lines.find((line) => line.includes('AAAAAAAA')))
  assert.equal(JSON.parse(mismatch).level, 50)
  assert.equal((await fetch(`${address}/healthz`)).status, 200)
})
