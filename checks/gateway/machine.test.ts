// What the proxy takes for this machine, and denies: its addresses of the moment, in a container those of its host, too, and never the
// portal.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { startSites } from '../../test/proxy/sites.ts'
import { listen } from '../../test/support/listen.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

describe('this machine', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const ip = (...words: readonly string[]) => execFileSync('ip', words, { timeout: 10_000, stdio: 'pipe' })
  const router = await startSites({ after }, { names: ['router.example'], ipv6: true })
  ip('route', 'add', 'default', 'via', router.address)
  ip('-6', 'route', 'add', 'default', 'via', router.address6)
  // As a network without a route to the outside.
  ip('link', 'add', 'internal', 'type', 'veth', 'peer', 'name', 'other-end')
  ip('address', 'add', '10.88.0.5/24', 'dev', 'internal')
  ip('address', 'add', 'fd00:88::5/64', 'dev', 'internal', 'nodad')
  ip('link', 'set', 'internal', 'up')
  const sites = { names: ['news.example'] }
  const routers = [router.address, `[${router.address6}]`]

  test('PROXY_IN_CONTAINER=yes: its host is the router, and the first address of each network', async (t) => {
    const { request, sites: theirs } = await startGateway(t, { sites, settings: { PROXY_IN_CONTAINER: 'yes' } })
    theirs.resolve('router.example', router.address)
    for (const name of [...routers, '10.88.0.1', '[fd00:88::1]', 'router.example']) {
      assert.equal((await request(`http://${name}/`)).status, 403, name)
    }
    assert.deepEqual(router.received, [])
    assert.equal((await request('http://news.example/')).status, 200)
  })

  test('PROXY_IN_CONTAINER=no: not the router; the portal by its address, and an address that is added', async (t) => {
    const answer = createServer((_, response) => response.end('this machine'))
    const port = await listen(t, answer, '::')
    const { request, publish, log } = await startGateway(t, {
      sites,
      // Seen: an IPv6 address without a port ended the start ("must have ports"), and one in another form than Squid's was denied.
      settings: { PROXY_IN_CONTAINER: 'no', PROXY_PORTAL: 'https://[0:0000:0::1]', PROXY_PORTAL_PORTS: `${port}` },
      followsAddresses: true,
    })
    // Squid refuses connections while it reads its configuration.
    const status = (url: string) => until(async () => (await request(url).catch(() => undefined))?.status)
    for (const name of routers) assert.equal(await status(`http://${name}/`), 200, name)
    assert.equal(await status(`http://[::1]:${port}/`), 200)
    assert.equal(await status(`http://127.0.0.1:${port}/`), 403)
    // The proxy compares once shortly after its start; from here on only what has changed.
    publish('internal', '192.0.2.0/24\n')
    await until(() => log().includes('reconfigured'))
    ip('address', 'add', '203.0.113.7/32', 'dev', 'lo')
    await until(async () => (await status(`http://203.0.113.7:${port}/`)) === 403, 10, 100)
    assert.equal(await status('http://news.example/'), 200)
  })
})
