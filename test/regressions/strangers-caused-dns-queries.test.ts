// Seen by reading: anyone who reached the proxy's port, also from a network that PROXY_CLIENTS does not name, had it look up any name:
// the rule about internal addresses, which needs them, came before the one about clients. Since there is a proxy.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../proxy/proxy.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

describe('DNS queries', { skip: skipWithoutGateway, timeout: 60_000 }, async () => {
  const { request, connect, sites } = await startGateway({ after }, { sites: { names: ['news.example'] } })

  test('of a stranger: none', async () => {
    const from = '127.0.1.1'
    const { status, body } = await request('http://stranger.example/', { from })
    assert.equal(status, 403)
    assert.match(body, /The gateway doesn’t open this address/)
    for (const port of [443, 80, 25]) (await connect(`stranger.example:${port}`, { from })).socket.destroy()
    await request('http://stranger.example:22/', { from })
    assert.deepEqual(
      sites.queries.filter((name) => name === 'stranger.example'),
      [],
    )
  })

  test('control: of a client', async () => {
    assert.equal((await request('http://client.example/')).status, 503)
    assert.ok(sites.queries.includes('client.example'))
  })
})
