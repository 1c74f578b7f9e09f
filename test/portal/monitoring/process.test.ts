// The operations listener of the portal's own process.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from '../../support/free-port.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { startPortalProcess } from '../../support/portal-process.ts'
import { valuesOf } from './operations.ts'

test('listens at the configured address', async (t) => {
  const port = await freePort()
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_OPS_PORT: `${port}`, GATEWAY_CAPTIVE_SSL_BUMP: 'off' })
  await portal.listening
  const readyz = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as Record<string, object>
  assert.deepEqual(Object.keys(readyz.checks ?? {}), ['engine', 'secret', 'database', 'certificate', 'eventLoop'])
  assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /^process_start_time_seconds \d/m)
  portal.child.kill('SIGINT')
  assert.equal(await portal.ended, 0)
})

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
  const { ready } = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as { ready: boolean }
  assert.ok(ready)
  assert.equal(engine.connections.length, 1)
  const values = valuesOf(metrics)
  assert.equal(values.get('gateway_captive_requests_total{route="/healthz",status="200"}'), 4)
  assert.equal(values.get('gateway_captive_check{check="engine"}'), 1)
  assert.equal(values.get('gateway_captive_ledger_waiting{state="pending"}'), 0)
  const names = Array.from(metrics.matchAll(/^# HELP (\S+)/gm), ([, name]) => name)
  assert.equal(new Set(names).size, names.length)
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
