// The proxy denies what is on its own machine. An address that the machine got later could be reached through it until the engine
// published something new: since 2026-11-23, nothing was compared as long as the published files had not changed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

test('the proxy follows the addresses of its machine', { skip: skipWithoutGateway, timeout: 60_000 }, async (t) => {
  const { request, publish, log } = await startGateway(t, {
    sites: { names: ['news.example'] },
    followsAddresses: true,
  })
  // The proxy compares once shortly after its start; from here on only what has changed.
  publish('internal', '192.0.2.0/24\n')
  await until(() => log().includes('reconfigured'))
  execFileSync('ip', ['address', 'add', '203.0.113.7/32', 'dev', 'lo'], { timeout: 10_000 })
  const server = createServer((_, response) => response.end('this machine')).listen(8080, '203.0.113.7')
  await once(server, 'listening')
  t.after(() => server.close())
  // Squid refuses connections while it reads its configuration.
  const status = async (url: string) => (await request(url).catch(() => ({ status: 0 }))).status
  await until(async () => (await status('http://203.0.113.7:8080/')) === 403, 10, 100)
  assert.equal(await until(() => status('http://news.example/')), 200)
})
