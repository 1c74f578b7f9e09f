// An upload of more than half a megabyte was cut off where the site read it more slowly than the visitor sent it: Squid before
// 6.13 takes its own full buffer for the end of the connection (bug 5405). Since the first version of the proxy; found by a test
// that failed on a busy machine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutGateway, startGateway } from '../proxy/proxy.ts'
import type { Handler } from '../proxy/sites.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

/** Reads nothing for a second, and then all of it. */
const slow: Handler = async (request, response) => {
  let bytes = 0
  try {
    await sleep(1_000)
    for await (const chunk of request) bytes += chunk.length
  } catch {
    // The proxy has closed the connection.
    return
  }
  response.end(`${bytes}`)
}

test('a site that reads slowly gets the whole upload', { skip: skipWithoutGateway, timeout: 60_000 }, async (t) => {
  const { request } = await startGateway(t, { sites: { names: ['slow.example'], handlers: { 'slow.example': slow } } })
  const body = Buffer.alloc(20_000_000, 'x')
  const uploads = ['http', 'https', 'http', 'https'].map(async (scheme) => {
    const { status, body: received } = await request(`${scheme}://slow.example/`, { method: 'POST', body })
    assert.deepEqual([status, received], [200, '20000000'])
  })
  await Promise.all(uploads)
})
