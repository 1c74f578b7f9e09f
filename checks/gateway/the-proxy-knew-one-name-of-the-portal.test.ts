// By reading, then reproduced: the engine has any number of names of the portal (`[captive_portal] hostnames`), and allows them without
// a rule; the proxy knew that of PROXY_PORTAL alone. It denied the portal's other names as addresses of the inside. Redirected plain
// http with one of them in `Host` was allowed by the engine, and Squid contacted whatever address the client had chosen: any site was
// open (checks/tests/transparent.test.ts). Since 2026.48.0. Now the engine publishes the names; checks/bypass/ has wrong ones published.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { listen } from '../../test/support/listen.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const NAMES = ['portal.other.example', 'PORTAL.third.example', 'localhost', '127.0.0.1', '::1']
const POLICY = `default = "block"\n[captive_portal]\nhostnames = ${JSON.stringify(NAMES)}\n`

describe('the portal', { skip: skipWithoutGateway, timeout: 60_000 }, async () => {
  const gateway = await startGateway(
    { after },
    { sites: { names: ['news.example'] }, policy: POLICY, published: 'engine' },
  )
  const { sites } = gateway
  const { https } = gateway.portal
  const port = await listen(
    { after },
    createServer((_, response) => response.end('inside')),
  )
  for (const name of ['portal.other.example', 'portal.third.example']) sites.resolve(name, '127.0.0.1')

  test('is reached by each of its names, on its ports', async () => {
    for (const name of ['portal.other.example', 'portal.third.example']) {
      assert.equal((await gateway.request(`https://${name}:${https}/a`)).body, 'the portal: /a', name)
    }
  })

  test('its other names open no other port, and those of this machine nothing', async () => {
    assert.equal((await gateway.request(`http://portal.other.example:${port}/`)).status, 403)
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      assert.equal((await gateway.request(`http://${host}:${gateway.portal.http}/`)).status, 403, host)
    }
  })

  test('control: by the name of its URL', async () => {
    assert.equal((await gateway.request(`https://portal.example:${https}/a`)).body, 'the portal: /a')
    assert.equal((await gateway.request('https://news.example/')).status, 302)
  })
})
