// Seen: PROXY_PORTAL=https://[2001:db8::7] ended the proxy's start with "PROXY_PORTAL must have ports", because the colons of the
// address were taken for that of a port. With a port it started, but an address in another form than Squid's (`[2001:DB8:0::7]`)
// matched no request, and the portal was denied as internal. Since there is a proxy. Host names were not affected.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../proxy/proxy.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

describe('a portal with an address', { skip: skipWithoutGateway, timeout: 60_000 }, () => {
  for (const [name, host] of [
    ['IPv6, without a port, in another form than Squid’s', '[0:0000:0::1]'],
    ['control: IPv4', '127.0.0.1'],
  ] as const) {
    test(name, async (t) => {
      const portal = createServer((_, response) => response.end('the portal')).listen(0, '::')
      await once(portal, 'listening')
      t.after(() => portal.close())
      const { port } = portal.address() as AddressInfo
      const { request, stop } = await startGateway(t, {
        sites: { names: ['news.example'] },
        settings: { PROXY_PORTAL: `https://${host}`, PROXY_PORTAL_PORTS: `${port}` },
      })
      const address = host.startsWith('[') ? '[::1]' : host
      assert.equal((await request(`http://${address}:${port}/`)).body, 'the portal')
      assert.equal((await request(`http://${address === '[::1]' ? '127.0.0.1' : '[::1]'}:${port}/`)).status, 403)
      await stop()
    })
  }
})
