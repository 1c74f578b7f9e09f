// In a container, the proxy's host is this machine, too: at the container's routers, and at the first address of each of its
// networks.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { startSites } from '../../test/proxy/sites.ts'
import type { Cleanup } from '../../test/support/cleanup.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

describe('in a container', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const ip = (...words: readonly string[]) => execFileSync('ip', words, { timeout: 10_000, stdio: 'pipe' })
  const host = await startSites({ after }, { names: ['host.example'], ipv6: true })
  ip('route', 'add', 'default', 'via', host.address)
  ip('-6', 'route', 'add', 'default', 'via', host.address6)
  // As a network without a route to the outside.
  ip('link', 'add', 'internal', 'type', 'veth', 'peer', 'name', 'other-end')
  ip('address', 'add', '10.88.0.5/24', 'dev', 'internal')
  ip('address', 'add', 'fd00:88::5/64', 'dev', 'internal', 'nodad')
  ip('link', 'set', 'internal', 'up')
  const start = (t: Cleanup, isContainer: boolean) =>
    startGateway(t, {
      sites: { names: ['news.example'] },
      settings: { PROXY_IN_CONTAINER: isContainer ? 'yes' : 'no' },
    })

  test('PROXY_IN_CONTAINER=yes: the host is out of reach, by address and by name', async (t) => {
    const { request, sites } = await start(t, true)
    sites.resolve('host.example', host.address)
    for (const name of [host.address, `[${host.address6}]`, '10.88.0.1', '[fd00:88::1]', 'host.example']) {
      assert.equal((await request(`http://${name}/`)).status, 403, name)
    }
    assert.deepEqual(host.received, [])
    assert.equal((await request('http://news.example/')).status, 200)
  })

  test('PROXY_IN_CONTAINER=no: the router’s own web page stays within reach', async (t) => {
    const { request } = await start(t, false)
    for (const name of [host.address, `[${host.address6}]`]) {
      assert.equal((await request(`http://${name}/`)).status, 200, name)
    }
  })
})
