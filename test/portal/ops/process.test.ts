// The operations listener of the portal's own process.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { startPortalProcess } from '../../support/portal-process.ts'

async function listener() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

test('it listens where the configuration says', async (t) => {
  const { server, port } = await listener()
  server.close()
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_OPS_PORT: `${port}`, GATEWAY_CAPTIVE_SSL_BUMP: 'off' })
  await portal.listening
  const readyz = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as Record<string, object>
  assert.deepEqual(Object.keys(readyz.checks ?? {}), ['engine', 'database', 'certificate', 'eventLoop'])
  assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /^process_start_time_seconds \d/m)
  portal.child.kill('SIGTERM')
  assert.equal(await portal.ended, 0)
})

test('a port that is taken ends the start with status 1 and one clear line', async (t) => {
  const { server, port } = await listener()
  t.after(() => server.close())
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_OPS_PORT: `${port}` })
  assert.equal(await portal.ended, 1)
  const last = JSON.parse(portal.lines.at(-1) ?? '{}')
  assert.equal(last.msg, 'the operations listener cannot listen; stopping')
  assert.match(last.err.message, /EADDRINUSE/)
})
