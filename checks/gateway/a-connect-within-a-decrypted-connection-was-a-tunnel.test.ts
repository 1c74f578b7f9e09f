// CONNECT within a decrypted connection was answered with 200, and the engine not asked: a tunnel to any host, with the site's own
// certificate, not decrypted and not decided, also while the engine was stopped. Squid decides once per connection whether to
// decrypt it. Since the first version of the proxy; found by an attack. All ways around it: npm run check -- bypass.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const POLICY = `
[[rules]]
name = "gambling"
match = ["casino.example"]
action = "block"
`

describe('CONNECT', { skip: skipWithoutGateway, timeout: 60_000 }, async () => {
  const gateway = await startGateway(
    { after },
    {
      sites: { names: ['news.example', 'casino.example', 'bank.example'] },
      policy: POLICY,
      published: { 'exempt-hosts': 'bank.example\n' },
    },
  )
  const { sites } = gateway

  /** A decrypted connection. */
  async function decrypted(host: string): Promise<TLSSocket> {
    const { socket } = await gateway.connect(`${host}:443`)
    const tls = connectTls({ socket, servername: host, ca: [gateway.rootCa()] })
    await once(tls, 'secureConnect', { signal: AbortSignal.timeout(20_000) })
    return tls
  }

  /** The status within a decrypted connection. */
  async function nested(target: string): Promise<number> {
    const tls = await decrypted('news.example')
    tls.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nConnection: close\r\n\r\n`)
    tls.write('GET / HTTP/1.1\r\nHost: casino.example\r\n\r\n')
    return Number((await text(tls)).split(' ')[1])
  }

  test('within a decrypted connection it is denied, to every host', async () => {
    for (const host of ['casino.example', 'news.example', 'bank.example']) {
      assert.equal(await nested(`${host}:443`), 403, host)
    }
    assert.deepEqual([sites.received, sites.handshakes], [[], []])
  })

  test('the first one of a connection is answered as before', async () => {
    assert.equal((await gateway.request('https://news.example/')).status, 200)
    assert.equal((await gateway.request('https://casino.example/')).status, 302)
    assert.equal((await gateway.request('https://bank.example/')).status, 200)
  })

  test('also while the engine is stopped', async () => {
    await gateway.engine.kill('SIGKILL')
    const before = sites.handshakes.length
    assert.equal(await nested('casino.example:443'), 403)
    assert.equal(sites.handshakes.length, before)
  })
})
