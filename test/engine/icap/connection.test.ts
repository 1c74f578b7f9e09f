// What a connection answers, in which order, and what slow, endless and malformed requests cost.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Decision } from '../../../src/engine/engine.ts'
import { connect, REDIRECT, responsesOf, statusesOf } from './in-memory.ts'
import { ACCEPTED, chunked, get, hosts, OPTIONS, REJECTED, reqmod } from './messages.ts'

const POST = get('http://open.example/', 'POST')
const BLOCKED = get('http://casino.example/', 'POST')

for (const [name, [message, ...statuses]] of Object.entries(ACCEPTED)) {
  // The parser's tests split every message at every byte.
  test(`${name}: the same responses byte by byte`, async () => {
    const bytes = Buffer.from(message, 'latin1')
    const whole = await connect().talk(bytes)
    assert.deepEqual(statusesOf(whole), statuses)
    const split = await connect().talk(...Array.from(bytes, (byte) => Buffer.of(byte)))
    assert.deepEqual(responsesOf(split), responsesOf(whole))
  })
}

for (const [name, [message, status]] of Object.entries(REJECTED)) {
  test(`${name}: ${status}, and the connection ends`, async () => {
    const client = connect()
    const text = await client.talk(message + OPTIONS)
    assert.deepEqual(statusesOf(text), [status])
    assert.match(text, /\r\nConnection: close\r\nEncapsulated: null-body=0\r\n\r\n$/)
    assert.equal(client.reported.length, 1)
    assert.doesNotMatch(client.reported.join(), /: wrong|token-for/)
  })
}

test('hosts are answered in order, and nothing else is', async () => {
  const text = await connect().talk(hosts(['a.example', 'OPEN.example.', 'open.example:80', '']))
  const ruled = ['yes', 'no', 'yes', 'yes'].map((word) => `X-Ruled: ${word}\r\n`).join('')
  assert.equal(text, `ICAP/1.0 200 OK\r\nISTag: "revision"\r\n${ruled}Encapsulated: null-body=0\r\n\r\n`)
})

test('hosts count like requests: after some of them, other connections get their turn', async () => {
  let asked = 0
  const isRuled = () => ++asked > 0
  const client = connect({ isRuled })
  client.stream.write(hosts(Array<string>(100).fill('a.example')).repeat(10))
  for (let before = 0; asked < 1000; before = asked) {
    await setImmediate()
    assert.ok(asked - before <= 200, `${asked - before} hosts in one turn`)
  }
  assert.equal(statusesOf(await client.received()).length, 10)
})

test('a request that is repeated is what came, without trailers', async () => {
  const body = '3;a=b\r\nabc\r\n1\r\n\0\r\n0\r\nX: y\r\n\r\n'
  const text = await connect().talk(reqmod({ http: POST, body }))
  const head = `ICAP/1.0 200 OK\r\nISTag: "revision"\r\nEncapsulated: req-hdr=0, req-body=${POST.length}\r\n\r\n`
  assert.equal(text, `${head}${POST}3\r\nabc\r\n1\r\n\0\r\n0\r\n\r\n`)
})

test('nothing is answered before the preview has ended, and nothing after it is expected', async () => {
  const client = connect()
  client.stream.write(reqmod({ http: POST, fields: ['Preview: 4'], body: '3\r\nabc\r\n' }))
  assert.equal(await client.received(), '')
  client.stream.write('0\r\n\r\n')
  assert.deepEqual(statusesOf(await client.received()), [204])
  client.stream.write(OPTIONS)
  assert.deepEqual(statusesOf(await client.received()), [204, 200])
})

test('the redirect does not wait for the body, which is discarded', async () => {
  const client = connect()
  client.stream.write(reqmod({ http: BLOCKED, body: '6\r\nsec' }))
  const head = `HTTP/1.1 303 See Other\r\nLocation: ${REDIRECT}\r\nCache-Control: no-store\r\nContent-Length: 0\r\n\r\n`
  const icap = `ICAP/1.0 200 OK\r\nISTag: "revision"\r\nEncapsulated: res-hdr=0, null-body=${head.length}\r\n\r\n`
  assert.equal(await client.received(), icap + head)
  client.stream.write(`ret\r\n0\r\n\r\n${OPTIONS}`)
  assert.deepEqual(statusesOf(await client.received()), [200, 200])
})

test('a request waits for the decision about the one before it', async () => {
  let settle: (decision: Decision) => void = () => {}
  const slow = new Promise<Decision>((resolve) => {
    settle = resolve
  })
  const allow: Decision = { verdict: 'allow', rule: 'r', session: true }
  const client = connect({ decide: ({ method }) => (method === 'POST' ? slow : allow) })
  client.stream.write(reqmod({ http: POST, body: chunked('abc') }) + reqmod({ fields: ['Allow: 204'] }))
  assert.equal(await client.received(), '')
  settle({ verdict: 'warn', rule: 'r', reference: 'x', redirect: REDIRECT })
  const text = await client.received()
  assert.deepEqual(statusesOf(text), [200, 204])
  assert.match(text, /303 See Other/)
})

test('a decision or a question that fails is 500, and the connection ends', async () => {
  const broken = () => {
    throw new Error('broken')
  }
  for (const [options, message] of [
    [{ decide: () => Promise.reject(new Error('broken')) }, reqmod()],
    [{ decide: broken }, reqmod()],
    [{ isRuled: broken }, hosts(['open.example'])],
  ] as const) {
    const client = connect(options)
    assert.deepEqual(statusesOf(await client.talk(message + OPTIONS)), [500])
    assert.equal(client.failures.length, 1)
  }
})

test('Connection: close is followed', async () => {
  const client = connect()
  client.stream.write(OPTIONS.replace('\r\n\r\n', '\r\nConnection: keep-alive, Close\r\n\r\n') + OPTIONS)
  assert.deepEqual(statusesOf(await client.received()), [200])
  assert.ok(client.stream.readableEnded)
})

test('a head that does not end is 408 after ten seconds, and its connection is closed', async () => {
  const client = connect()
  const bytes = reqmod()
  for (let sent = 0; sent < 9; sent++) {
    client.stream.write(bytes[sent])
    await client.received()
    client.pass(1000)
  }
  assert.equal(await client.received(), '')
  client.pass(1001)
  assert.deepEqual(statusesOf(await client.received()), [408])
  client.stream.write(bytes.slice(9))
  client.pass(2001)
  await client.received()
  assert.ok(client.isClosed())
})

test('the same for a second request, a preview, and a pipelined part', async () => {
  for (const part of ['O', reqmod({ http: POST, fields: ['Preview: 9'], body: '4\r\nab' })]) {
    for (const messages of [[OPTIONS, part], [OPTIONS + part]]) {
      const client = connect()
      for (const message of messages) {
        client.pass(9000)
        client.stream.write(message)
        await client.received()
      }
      client.pass(9999)
      assert.deepEqual(statusesOf(await client.received()), [200])
      client.pass(2)
      assert.deepEqual(statusesOf(await client.received()), [200, 408])
    }
  }
})

test('an idle connection is closed after five minutes', async () => {
  const client = connect()
  client.stream.write(OPTIONS)
  await client.received()
  client.pass(300_000)
  await client.received()
  assert.ok(!client.isClosed())
  client.pass(1)
  await client.received()
  assert.ok(client.isClosed())
})

test('a body may pause for 30 seconds, and take an hour', async () => {
  const client = connect()
  client.stream.write(reqmod({ http: POST, body: '1\r\na\r\n' }))
  await client.received()
  for (let passed = 29_000; passed < 3_600_000; passed += 29_000) {
    client.pass(29_000)
    client.stream.write('1\r\na\r\n')
    await client.received()
    assert.ok(!client.isClosed(), `${passed}`)
  }
  client.pass(29_000)
  await client.received()
  assert.ok(client.isClosed())

  const pausing = connect()
  pausing.stream.write(reqmod({ http: POST, body: '1\r\na\r\n' }))
  await pausing.received()
  pausing.pass(30_001)
  await pausing.received()
  assert.ok(pausing.isClosed())
})

test('of a stopped request at most 16 MiB are discarded', async () => {
  const client = connect()
  const chunk = Buffer.from(`100000\r\n${'x'.repeat(2 ** 20)}\r\n`)
  client.stream.write(reqmod({ http: BLOCKED, body: '' }))
  for (let sent = 0; sent < 16; sent++) client.stream.write(chunk)
  assert.deepEqual(statusesOf(await client.received()), [200])
  assert.ok(!client.isClosed())
  client.stream.write('1\r\nx')
  await client.received()
  assert.ok(client.isClosed())
})

test('a client that does not read its responses is not read from', async () => {
  const client = connect()
  client.stream.pause()
  const many = Buffer.from(reqmod().repeat(100))
  let sent = 0
  for (; client.stream.writableLength === 0 && sent < 100; sent++) {
    client.stream.write(many)
    await client.received()
  }
  // What the buffers of both directions hold.
  assert.ok(sent < 20, `${sent}`)
  client.stream.resume()
  client.stream.end()
  await once(client.stream, 'close')
  assert.equal(statusesOf(await client.received()).length, sent * 100)
})
