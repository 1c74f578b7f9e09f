// Seen: 10,000 stopped requests whose heads had 8 KB each took 85 MiB of memory; heads may have 64 KiB. What the engine
// remembers of a request (URL, address, user) are parts of the strings that they were read from, and V8 keeps the whole string
// for a part of it: the cookies too. Since the engine remembers stopped requests. Requests whose target is a path were not
// affected, because their URL is put together.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseHttpHead } from '../../src/engine/icap/http-head.ts'
import { createStoppedRequests } from '../../src/engine/monitoring/stopped-requests.ts'
import { parseClient } from '../../src/engine/request/client.ts'

const COUNT = 1000
const PADDING = 'x'.repeat(32_000)

/** Bytes of memory that the last requests take. */
function bytesOf(requestLine: string, others: string): number {
  const requests = createStoppedRequests(COUNT)
  const before = usedBytes()
  for (let at = 0; at < 2 * COUNT; at++) {
    const head = parseHttpHead(
      Buffer.from(`GET ${requestLine}${at} HTTP/1.1\r\nHost: casino.example\r\nCookie: ${PADDING}\r\n\r\n`),
    )
    assert.ok(head.reason === undefined)
    const [address = '', user] = Buffer.from(`${others} ${PADDING}`).toString('latin1').split(' ')
    const client = parseClient(address) ?? assert.fail()
    const request = { ...head, client, user }
    requests.add({ reference: `r${at}`, at, request, verdict: 'block', rule: 'gambling', reason: undefined })
  }
  const bytes = usedBytes() - before
  assert.equal(requests.size, COUNT)
  return bytes
}

function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const LIMIT = 2_000_000

test('a request with an absolute target', () => {
  const bytes = bytesOf('http://casino.example/', '192.0.2.1 anna')
  assert.ok(bytes < LIMIT, `${bytes} bytes`)
})

test('a long address and a long name of a user', () => {
  const bytes = bytesOf('/', '198.51.100.117 some.long.user.name')
  assert.ok(bytes < LIMIT, `${bytes} bytes`)
})

test('control: a request whose target is a path', () => {
  const bytes = bytesOf('/', '192.0.2.1 anna')
  assert.ok(bytes < LIMIT, `${bytes} bytes`)
})
