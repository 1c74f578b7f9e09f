// Seen: while one client pipelined ICAP requests, or sent a body in chunks of one byte, others waited 60 to 700 ms for each
// decision; OPTIONS, which needs no token, sufficed. A connection handled all that it had received before another had its turn,
// and Node reads up to 2 MB from one socket. Since there is an ICAP listener. A client that sends one request after the other
// kept nobody waiting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, statusesOf } from '../engine/icap/in-memory.ts'
import { chunked, get, OPTIONS, reqmod } from '../engine/icap/messages.ts'

const MANY = 5000

/** What a client that sends this has received when another one, which sends a request after it, has its decision. */
async function receivedBefore(message: string): Promise<{ readonly early: string; readonly all: string }> {
  const [busy, other] = [connect(), connect()]
  let early = ''
  busy.stream.on('data', (chunk) => {
    early += chunk.toString('latin1')
  })
  busy.stream.write(message, 'latin1')
  other.stream.write(reqmod({ fields: ['Allow: 204'] }), 'latin1')
  const before = await new Promise<string>((resolve) => other.stream.once('data', () => resolve(early)))
  busy.stream.end()
  await new Promise((resolve) => busy.stream.once('close', resolve))
  return { early: before, all: early }
}

test('pipelined requests', async () => {
  const { early, all } = await receivedBefore(OPTIONS.repeat(MANY))
  assert.ok(statusesOf(early).length < MANY / 2, `${statusesOf(early).length} responses`)
  assert.deepEqual(statusesOf(all), Array(MANY).fill(200))
})

test('a body in small chunks', async () => {
  const http = get('http://open.example/form', 'POST')
  const { early, all } = await receivedBefore(reqmod({ http, body: chunked(...'x'.repeat(MANY)) }))
  assert.ok(early.length < MANY, `${early.length} bytes`)
  assert.ok(all.endsWith(chunked(...'x'.repeat(MANY))))
})

test('control: a single request has its response first', async () => {
  const { early, all } = await receivedBefore(OPTIONS)
  assert.deepEqual(statusesOf(early), [200])
  assert.equal(all, early)
})
