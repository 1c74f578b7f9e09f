// Sends an acknowledgement to a misbehaving engine: always a result in time, one request, bounded memory.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSendAcknowledgement, type SendAcknowledgement } from '../../../src/portal/engine-client/acknowledge.ts'
import { type Behaviour, rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'

const SECONDS = 0.4
const HEAD = 'HTTP/1.1 302 Found\r\nLocation: https://news.example/\r\n'
const QUESTION = {
  query: { p: 'zq', ts: 1, text: 'p=zq&v=1&ts=1' },
  clientAddress: '127.0.0.1',
  overrideCode: undefined,
}

function client(url: string): SendAcknowledgement {
  return createSendAcknowledgement({
    url: new URL(url),
    ackPath: '/api/captive/ack',
    timeoutSeconds: SECONDS,
    apiToken: undefined,
    userAgent: 'captive-portal/1',
    clock: Date.now,
    caFile: undefined,
    publishedCa: undefined,
  })
}

/** Writes pieces as fast as the peer reads them, or with a pause, until it disconnects. */
async function pour(socket: Socket, piece: string, pause = 0): Promise<void> {
  let wake = () => {}
  socket.on('drain', () => wake()).on('close', () => wake())
  while (!socket.destroyed) {
    const isTaken = socket.write(piece, 'latin1')
    if (pause > 0) await sleep(pause)
    else if (!isTaken) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
}

function pouring(start: string, piece: string, pause = 0): Behaviour {
  return (socket) => {
    socket.write(start, 'latin1')
    pour(socket, piece, pause).catch(() => {})
  }
}

describe('no response', { concurrency: true }, () => {
  const late: Readonly<Record<string, Behaviour>> = {
    nothing: () => {},
    'headers, then nothing': (socket) => socket.write(`${HEAD}Content-Length: 5\r\n\r\n`),
    'a chunk without an end': (socket) => socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`),
    'a byte at a time': pouring('HTTP/1.1 302 ', 'x', 20),
    'a flood of interim responses': pouring('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(200)),
  }
  for (const [name, behaviour] of Object.entries(late)) {
    test(name, async (t) => {
      const engine = await startHostileEngine(t, behaviour)
      const send = client(engine.url)
      // On a busy machine this timer is late, too.
      const deadline = sleep(SECONDS * 1000).then(() => performance.now())
      assert.equal((await send(QUESTION)).kind, 'late')
      assert.ok(performance.now() - (await deadline) < 200)
      await engine.connections[0]?.closed
    })
  }
})

describe('a truncated or malformed response', { concurrency: true }, () => {
  const broken: Readonly<Record<string, Behaviour>> = {
    'the end at once': respondWith(''),
    'the end after a status line': respondWith('HTTP/1.1 302 Found\r\n'),
    'the end inside a chunk': respondWith(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nab`),
    'a reset after the headers': (socket) =>
      socket.write(`${HEAD}Content-Length: 5\r\n\r\nab`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    'the end after an interim response': respondWith('HTTP/1.1 103 Early Hints\r\n\r\n'),
    'another protocol': respondWith('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
    'not HTTP': respondWith('\x15\x03\x01\0\x02\x02\x46'),
    'a length and chunks': respondWith(`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    'an invalid chunk length': respondWith(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    'lines that end in LF': respondWith('HTTP/1.1 302 Found\nLocation: https://news.example/\n\n'),
    'a space before the colon': respondWith(`${HEAD}X : a\r\n\r\n`),
    'an unknown transfer coding': respondWith(`${HEAD}Transfer-Encoding: gzip\r\nContent-Length: 0\r\n\r\n`),
  }
  for (const [name, behaviour] of Object.entries(broken)) {
    test(name, async (t) => {
      const engine = await startHostileEngine(t, behaviour)
      const ask = client(engine.url)
      const answered = await ask(QUESTION)
      assert.deepEqual([answered.kind, answered.status], ['broken', undefined])
      assert.doesNotMatch(JSON.stringify(answered), /zq/)
      // The engine may have carried it out: no retry before the next request.
      await ask(QUESTION)
      assert.equal(engine.connections.length, 2)
    })
  }
  test('connection refused', async (t) => {
    const engine = await startHostileEngine(t, () => {})
    await engine.close()
    assert.equal((await client(engine.url)(QUESTION)).kind, 'broken')
  })
})

describe('an endless response', () => {
  const endless: Readonly<Record<string, Behaviour>> = {
    'a status line': pouring('HTTP/1.1 302 ', 'x'.repeat(4096)),
    'a header': pouring(`${HEAD}X: `, 'x'.repeat(4096)),
    headers: pouring(HEAD, 'X: y\r\n'.repeat(1000)),
    'a body up to the end of the connection': pouring(`${HEAD}\r\n`, 'x'.repeat(65_536)),
    chunks: pouring(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `1000\r\n${'x'.repeat(4096)}\r\n`),
    trailers: pouring(`${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X: y\r\n'.repeat(1000)),
    'a compressed body': pouring(`${HEAD}Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08`, '\0'.repeat(65_536)),
  }
  for (const [name, behaviour] of Object.entries(endless)) {
    test(name, async (t) => {
      const engine = await startHostileEngine(t, behaviour)
      assert.equal((await client(engine.url)(QUESTION)).kind, 'broken')
      const [connection] = engine.connections
      await connection?.closed
      // An upper bound: the rest was in the buffers of two sockets.
      assert.ok((connection?.socket.bytesWritten ?? 0) < 16 * 1024 * 1024)
    })
  }
  test('what was read of it is freed', async (t) => {
    const engine = await startHostileEngine(t, pouring(`${HEAD}\r\n`, 'x'.repeat(65_536)))
    const send = client(engine.url)
    const before = process.memoryUsage()
    for (const _ of Array(50)) assert.equal((await send(QUESTION)).kind, 'broken')
    const after = process.memoryUsage()
    assert.ok(after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed < 64 * 1024 * 1024)
  })
})

test('a complete response counts even if the connection is reset right after it', async (t) => {
  const body = 'x'.repeat(60_000)
  const engine = await startHostileEngine(t, (socket) => {
    socket.write(rawResponse('302 Found', ['Location: https://news.example/'], body), () => socket.destroySoon())
  })
  const send = client(engine.url)
  for (const _ of Array(100)) assert.equal((await send(QUESTION)).kind, 'redirect')
})

test('without an address no header is sent', async (t) => {
  const engine = await startHostileEngine(t, respondWith(rawResponse('410 Gone')))
  assert.equal((await client(engine.url)({ ...QUESTION, clientAddress: undefined })).kind, 'expired')
  assert.doesNotMatch(engine.connections[0]?.received() ?? '', /forwarded/i)
})
