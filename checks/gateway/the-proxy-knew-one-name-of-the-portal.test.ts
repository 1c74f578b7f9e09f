// By reading, then reproduced: the engine has any number of names of the portal (`[captive_portal] hostnames`), and allows them without
// a rule; the proxy knew that of PROXY_PORTAL alone. It denied the portal's other names as addresses of the inside. Redirected plain
// http with one of them in `Host` was allowed by the engine, and Squid contacted whatever address the client had chosen: any site was
// open (checks/tests/transparent.test.ts). Since 2026.48.0. Now the engine publishes the names.
import assert from 'node:assert/strict'
import { appendFileSync, globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { listen } from '../../test/support/listen.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

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

  test('the engine decides about a name that only the published file has', async () => {
    appendFileSync(join(gateway.engine.published, 'proxy/portal-names'), 'wrong.example\n')
    sites.resolve('wrong.example', sites.address)
    const copies = () => globSync(join(gateway.run, 'configuration.*/all-portal-names'))
    await until(() => copies().some((path) => readFileSync(path, 'utf8').includes('wrong.example')), 20)
    await sleep(500)
    await until(async () => (await gateway.request(`https://portal.other.example:${https}/a`)).status === 200, 20)
    let reached = 0
    for (const at of [gateway.portal.http, https]) {
      const server = await sites.listen(at)
      server.on('connection', (socket) => {
        reached++
        socket.destroy()
      })
      after(() => server.close())
    }
    assert.equal((await gateway.request(`http://wrong.example:${gateway.portal.http}/`)).status, 302)
    await assert.rejects(gateway.request(`https://wrong.example:${https}/`))
    assert.equal(reached, 0)
  })

  test('control: by the name of its URL', async () => {
    assert.equal((await gateway.request(`https://portal.example:${https}/a`)).body, 'the portal: /a')
    assert.equal((await gateway.request('https://news.example/')).status, 302)
  })
})
