// What the terminator forwards to a portal, and how it handles the responses of a misbehaving one: a bare server in the
// portal's place records every byte.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startPublishing } from '../engine/publishing.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { skipWithoutNginx, startTerminator } from '../support/terminator.ts'
import { type ClientResponse, send, sendHttp2 } from './client.ts'

const ACK = '/api/captive/ack?p=zqpayload&v=1&ts=1800000000'

describe('a bare server in the portal’s place', { skip: skipWithoutNginx }, async () => {
  const { folder, read, publish } = await startPublishing({ after })
  await publish({ portalHost: 'localhost' })
  const ca = await read('ca/ca.crt')
  const portal = await startHostileEngine(undefined, respondWith(rawResponse('200 OK')))
  after(() => portal.close())
  const terminator = await startTerminator(
    { after },
    { portal: `127.0.0.1:${portal.port}`, leaf: `${folder}/terminator` },
  )
  const http = `http://localhost:${terminator.httpPort}`
  const https = `https://localhost:${terminator.httpsPort}`

  /** @returns everything sent to the portal since `before`, on all connections */
  const sentSince = (before: number) => portal.connections.slice(before).map(({ received }) => received())

  async function exchange(origin: string, path: string, options: Parameters<typeof send>[2] = {}) {
    const before = portal.connections.length
    const answered = await send(origin, path, { ca, ...options })
    return { answered, sent: sentSince(before) }
  }

  describe('requests to it', () => {
    const FORWARDED = {
      'X-Forwarded-For': ['203.0.113.66', '203.0.113.67'],
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Port': '1',
      'X-Forwarded-Server': 'evil.example',
      'X-Forwarded-Prefix': '/evil',
      'X-Real-IP': '203.0.113.66',
      Forwarded: 'for=203.0.113.66;proto=https',
      Via: '1.1 evil.example',
      X_Forwarded_For: '203.0.113.66',
      X_Forwarded_Proto: 'https',
      'X-Forwarded_For': '203.0.113.66',
      Connection: 'keep-alive, X-Forwarded-For, X-Forwarded-Proto, Host, Cookie',
      'Keep-Alive': 'timeout=1',
      TE: 'trailers',
      Upgrade: 'h2c',
      'Proxy-Connection': 'x',
    }
    for (const [scheme, origin] of Object.entries({ http, https })) {
      test(`over ${scheme}: the real address and scheme, whatever the request claims`, async () => {
        const headers = {
          ...FORWARDED,
          Cookie: 'a=b; __Host-gateway-captive=s.t; c=d',
          'Accept-Language': 'de',
          'X-Override-Code': '1234',
        }
        const { sent } = await exchange(origin, ACK, { headers })
        const [head = '', ...lines] = (sent[0] ?? '').trimEnd().split('\r\n')
        assert.equal(head, `GET ${ACK} HTTP/1.1`)
        assert.deepEqual(lines.sort(), [
          'Accept-Language: de',
          'Cookie: __Host-gateway-captive=s.t',
          'Host: localhost',
          'Proxy-Connection: x',
          'X-Forwarded-For: 127.0.0.1',
          `X-Forwarded-Proto: ${scheme}`,
          'X-Override-Code: 1234',
        ])
      })
    }
    test('over HTTP/2 as well', async () => {
      const before = portal.connections.length
      const { Connection: _, 'Keep-Alive': __, Upgrade: ___, 'Proxy-Connection': ____, ...headers } = FORWARDED
      await sendHttp2(https, ca, { ':path': ACK, ...headers })
      const [head = '', ...lines] = (sentSince(before)[0] ?? '').trimEnd().split('\r\n')
      assert.equal(head, `GET ${ACK} HTTP/1.1`)
      assert.deepEqual(lines.sort(), ['Host: localhost', 'X-Forwarded-For: 127.0.0.1', 'X-Forwarded-Proto: https'])
    })
    test('only the portal’s own cookies', async () => {
      const large = `a=${'x'.repeat(4_000)}`
      const cookies: readonly [sent: string, forwarded: string | undefined][] = [
        ['a=b', undefined],
        ['', undefined],
        ['gateway-captive=1', 'gateway-captive=1'],
        [`${Array(9).fill(large).join('; ')}; gateway-captive=1`, 'gateway-captive=1'],
        // A sibling domain may set this one, but not the one with the prefix.
        ['gateway-captive=1; __Host-gateway-captive=2', '__Host-gateway-captive=2'],
        ['__Host-gateway-captive=2;gateway-captive=1', '__Host-gateway-captive=2'],
        ['x__Host-gateway-captive=3; xgateway-captive=4; gateway-captives=5; a=gateway-captive=6', undefined],
      ]
      for (const [cookie, forwarded] of cookies) {
        const { sent } = await exchange(https, '/', { headers: { cookie } })
        assert.equal(/^Cookie: (.*)\r$/m.exec(sent[0] ?? '')?.[1], forwarded, cookie.slice(0, 80))
        const before = portal.connections.length
        await sendHttp2(https, ca, { ':path': '/', cookie: cookie.split('; ') })
        assert.equal(/^Cookie: (.*)\r$/m.exec(sentSince(before)[0] ?? '')?.[1], forwarded, 'over HTTP/2')
      }
    })
    test('plain http on the https port is forwarded as plain http, and the response is returned', async () => {
      portal.behave(respondWith(rawResponse('308 Permanent Redirect', ['Location: https://portal.example/x'])))
      const { answered, sent } = await exchange(`http://localhost:${terminator.httpsPort}`, '/x?p=zqpayload')
      assert.deepEqual([answered.status, answered.headers.location], [308, 'https://portal.example/x'])
      assert.match(sent[0] ?? '', /^GET \/x\?p=zqpayload HTTP\/1\.1\r\n[\s\S]*^X-Forwarded-Proto: http\r$/m)
      portal.behave(respondWith(rawResponse('200 OK')))
      const body = { method: 'POST', headers: { 'content-length': 2 } }
      assert.equal((await exchange(`http://localhost:${terminator.httpsPort}`, '/x', body)).answered.status, 400)
    })
    test('the target unmodified, whatever it is', async () => {
      for (const target of [
        '/%62locked?p=%2f&v=1',
        '//blocked',
        '/a/./b',
        '/blocked;x',
        '/blocked/?',
        '/x?a=1?b#c',
        '/terminator/unavailable.html?x',
        '/terminator/without-body',
      ]) {
        const { sent } = await exchange(http, target)
        assert.equal(sent[0]?.split('\r\n')[0], `GET ${target} HTTP/1.1`)
      }
    })
  })

  describe('its responses', () => {
    const relay = async (status: string, headers: readonly string[], body = ''): Promise<ClientResponse> => {
      portal.behave(respondWith(rawResponse(status, headers, body)))
      return (await exchange(https, ACK)).answered
    }

    test('X-Accel-* has no effect, and is forwarded like any other header', async () => {
      const headers = [
        'X-Accel-Redirect: /blocked?elsewhere',
        'X-Accel-Expires: 3600',
        'X-Accel-Limit-Rate: 1',
        'X-Accel-Buffering: no',
        'X-Accel-Charset: koi8-r',
        'Content-Type: text/plain',
        'Expires: Thu, 01 Jan 2037 00:00:00 GMT',
        'Server: engine',
        'Date: Sat, 21 Nov 2026 12:00:00 GMT',
        'X-Pad: x',
      ]
      const before = portal.connections.length
      const { status, rawHeaders, body } = await relay('200 OK', headers, 'x'.repeat(2000))
      assert.deepEqual({ status, body }, { status: 200, body: 'x'.repeat(2000) })
      assert.equal(sentSince(before).length, 1, 'no other request was sent')
      const pairs = rawHeaders.flatMap((name, index) => (index % 2 ? [] : [`${name}: ${rawHeaders[index + 1]}`]))
      assert.deepEqual(pairs.filter((pair) => !/^(Content-Length|Connection):/.test(pair)).sort(), headers.toSorted())
    })

    test('a redirect is forwarded unmodified: a large Location, cookies, UTF-8, an address of the portal', async () => {
      const large = `https://news.example/?${'x'.repeat(3000)}`
      const cookies = ['a', 'b', 'c'].map((name) => `${name}=${'y'.repeat(1300)}; Path=/; Domain=news.example`)
      const locations = [
        large,
        `https://news.example/${'z'.repeat(8000)}`,
        `http://127.0.0.1:${portal.port}/x`,
        `${http}/y`,
      ]
      for (const location of [...locations, Buffer.from('https://news.example/für').toString('latin1')]) {
        const { status, headers } = await relay('302 Found', [
          `Location: ${location}`,
          ...cookies.map((cookie) => `Set-Cookie: ${cookie}`),
        ])
        assert.deepEqual({ status, location: headers.location }, { status: 302, location })
        assert.deepEqual(headers['set-cookie'], cookies)
      }
    })

    test('16 KB of headers and 64 KB of body are forwarded', async () => {
      const many = Array.from({ length: 16 }, (_, index) => `X-${index}: ${'x'.repeat(1000)}`)
      const { status, body } = await relay(
        '302 Found',
        ['Location: https://news.example/', ...many],
        'y'.repeat(65_536),
      )
      assert.deepEqual({ status, length: body.length }, { status: 302, length: 65_536 })
    })
  })

  describe('an acknowledgement is sent once', () => {
    const faults: Readonly<Record<string, Parameters<typeof portal.behave>[0]>> = {
      'the connection is reset': (socket) => socket.resetAndDestroy(),
      'the connection ends': (socket) => socket.end(),
      'half a head': respondWith('HTTP/1.1 302 Fo'),
      'a response of the portal': respondWith(rawResponse('503 Service Unavailable')),
    }
    for (const [name, behaviour] of Object.entries(faults)) {
      test(name, async () => {
        portal.behave(behaviour)
        const { answered, sent } = await exchange(https, ACK)
        assert.equal(answered.status, 503)
        assert.equal(answered.body.includes('Try again'), name !== 'a response of the portal')
        assert.deepEqual(
          sent.map((bytes) => bytes.split('\r\n')[0]),
          [`GET ${ACK} HTTP/1.1`],
        )
      })
    }
    describe('by one worker, with half a second of patience', async () => {
      const { httpsPort } = await startTerminator(
        { after },
        {
          portal: `127.0.0.1:${portal.port}`,
          leaf: `${folder}/terminator`,
          // Each worker keeps separate connections.
          edit: (shipped) =>
            shipped
              .replace(/worker_processes .*;/, 'worker_processes 1;')
              .replace('proxy_read_timeout 130s', 'proxy_read_timeout 500ms'),
        },
      )
      const alone = `https://localhost:${httpsPort}`

      test('on a kept-alive connection that the portal closes', async () => {
        portal.behave((socket) => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
          // The second request on this connection.
          socket.once('data', () => socket.destroy())
        })
        const before = portal.connections.length
        assert.equal((await send(alone, '/first', { ca })).status, 200)
        assert.equal((await send(alone, ACK, { ca })).status, 503)
        assert.deepEqual(
          sentSince(before)
            .join('')
            .match(/^GET \S+/gm),
          ['GET /first', `GET ${ACK}`],
        )
      })
      test('a portal that does not respond yields 503', async () => {
        portal.behave(() => {})
        const { answered, sent } = await exchange(alone, ACK)
        assert.equal(answered.status, 503)
        assert.deepEqual(sent.length, 1)
      })
    })
  })

  test('no log contains any part of the requests', () => {
    assert.ok(terminator.requests().length > 15)
    assert.match(terminator.logText(), /prematurely closed connection/)
    assert.doesNotMatch(terminator.logText(), /zqpayload|elsewhere|news\.example|client:|127\.0\.0\.1/)
  })
})
