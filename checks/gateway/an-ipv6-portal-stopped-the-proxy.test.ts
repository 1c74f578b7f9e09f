// Seen: PROXY_PORTAL=https://[2001:db8::7] ended the proxy's start with "PROXY_PORTAL must have ports", because the colons of the
// address were taken for that of a port. With a port it started, but an address in another form than Squid's (`[2001:DB8:0::7]`)
// matched no request, and the portal was denied as internal. Since there is a proxy. Host names were not affected.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { listen } from '../../test/support/listen.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

test('a portal with an IPv6 address, without a port, in another form than Squid’s', {
  skip: skipWithoutGateway,
  timeout: 60_000,
}, async (t) => {
  const portal = createServer((_, response) => response.end('the portal'))
  const port = await listen(t, portal, '::')
  const { request } = await startGateway(t, {
    sites: { names: ['news.example'] },
    settings: { PROXY_PORTAL: 'https://[0:0000:0::1]', PROXY_PORTAL_PORTS: `${port}` },
  })
  assert.equal((await request(`http://[::1]:${port}/`)).body, 'the portal')
  assert.equal((await request(`http://127.0.0.1:${port}/`)).status, 403)
})
