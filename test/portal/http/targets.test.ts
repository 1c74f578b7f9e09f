// Request targets and queries that are almost valid: compared byte for byte, not decoded, folded or joined.
import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import { claims, payloadOf, verdictQuery } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { assertOwnResponse } from '../acknowledgement/relay.ts'
import * as bare from '../exchange.ts'

const portal = await startPortal(undefined)
after(() => portal.close())

const query = verdictQuery(claims(NOW))
const p = payloadOf(claims(NOW))

let asked = 0
afterEach(() => {
  const [requests, others] = [true, false].map((isRequest) =>
    portal.logged().filter(({ msg, level }) => (msg === 'request' && level === 30) === isRequest),
  )
  assert.equal(requests?.length, asked, 'a line for each request')
  assert.deepEqual(others, [])
  assert.doesNotMatch(portal.logText(), /eyJ|evil|A{20}/, 'without any part of it')
})

/** A response of the portal, with all its headers. */
async function exchange(...[at, target, ...rest]: Parameters<typeof bare.exchange>): Promise<bare.Exchanged> {
  asked++
  const response = await bare.exchange(at, target, ...rest)
  if (response.status >= 400) assertOwnResponse(response, 'page')
  assert.ok(!response.body.includes('evil'))
  return response
}

async function exchangeBytes(...request: Parameters<typeof bare.exchangeBytes>): Promise<string> {
  const response = await bare.exchangeBytes(...request)
  // What Node's parser rejects never reaches the portal.
  if (/^x-portal-version:/im.test(response)) asked++
  assert.doesNotMatch(response, /evil|eyJ|\bat .+:\d+:\d+/)
  return response
}

describe('a path that differs by a byte is not found', () => {
  const paths = [
    '/blocked/',
    '/Blocked',
    '/BLOCKED',
    '//blocked',
    '/./blocked',
    '/x/../blocked',
    '/%62locked',
    '/blocked%20',
    '/blocked%00',
    '/blocked;x',
    '/blocked#x',
    '/blocked%3f',
    '/blocked\\',
    '//evil.example/blocked',
    '/\\evil.example',
    '//evil.example/locale',
    '/',
    '/constructor',
    '/__proto__',
    '/not-found',
    `/${'a'.repeat(7000)}`,
  ]
  for (const path of paths) {
    test(path.slice(0, 40), async () => {
      const { status, headers } = await exchange(portal, `${path}?${query}`)
      assert.equal(status, 404)
      assert.equal(headers.get('location'), undefined)
    })
  }
  test('nor is a target without a path', async () => {
    for (const target of ['*', 'blocked', '\\blocked', 'evil.example:443', 'http://evil.example/blocked']) {
      const response = await exchangeBytes(portal, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      assert.match(response, /^HTTP\/1\.1 400 /)
      assert.doesNotMatch(response, /^location:/im)
    }
  })
})

describe('a query that is not exactly the three parameters is malformed', () => {
  const queries = {
    'no p': `v=1&ts=${NOW}`,
    'no v': `p=${p}&ts=${NOW}`,
    'no ts': `p=${p}&v=1`,
    'p empty': `p=&v=1&ts=${NOW}`,
    'v empty': `p=${p}&v=&ts=${NOW}`,
    'ts empty': `p=${p}&v=1&ts=`,
    'p twice': `p=${p}&${query}`,
    'v twice': `${query}&v=1`,
    'ts twice': `${query}&ts=${NOW}`,
    'p[]': `p[]=${p}&v=1&ts=${NOW}`,
    P: `P=${p}&v=1&ts=${NOW}`,
    'an encoded name': `%70=${p}&v=1&ts=${NOW}`,
    'one more parameter': `${query}&x=1`,
    'one more, empty': `${query}&`,
    'semicolons between': `p=${p};v=1;ts=${NOW}`,
    '2,000 parameters': `${query}${'&a'.repeat(2000)}`,
    'a second question mark': `?${query}`,
    nothing: '',
    'v 0': `p=${p}&v=0&ts=${NOW}`,
    'v 01': `p=${p}&v=01&ts=${NOW}`,
    'v 1.0': `p=${p}&v=1.0&ts=${NOW}`,
    'ts hexadecimal': `p=${p}&v=1&ts=0x6b49d200`,
    'ts with an exponent': `p=${p}&v=1&ts=18e8`,
    'ts with a plus': `p=${p}&v=1&ts=+1800000000`,
    'ts with a space': `p=${p}&v=1&ts=%201800000000`,
    'ts in Arabic digits': `p=${p}&v=1&ts=%D9%A1%D9%A8%D9%A0%D9%A0%D9%A0%D9%A0%D9%A0%D9%A0%D9%A0%D9%A0`,
    'ts with a fraction': `p=${p}&v=1&ts=1800000000.0`,
    'ts of 9 digits': `p=${p}&v=1&ts=180000000`,
    'ts of 11 digits': `p=${p}&v=1&ts=18000000000`,
    'ts of 30 digits': `p=${p}&v=1&ts=${'1'.repeat(30)}`,
    'ts with a leading zero': `p=${p}&v=1&ts=0800000000`,
    'ts with a fragment': `${query}#x`,
  }
  for (const [name, text] of Object.entries(queries)) {
    test(name, async () => assert.equal((await exchange(portal, `/blocked?${text}`)).status, 400))
  }
})

test('any byte of a payload, changed by one bit, makes it invalid', async () => {
  const parts = p.split('.').map((part) => Buffer.from(part, 'base64url'))
  for (const [index, part] of parts.entries()) {
    for (const at of part.keys()) {
      const changed = Buffer.from(part)
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at)
      const forged = parts.map((other, place) => (place === index ? changed : other).toString('base64url')).join('.')
      const { status } = await exchange(portal, `/blocked?p=${forged}&v=1&ts=${NOW}`)
      assert.equal(status, 403, `part ${index}, byte ${at}`)
    }
  }
})

test('costly payloads are refused', async () => {
  const tail = `..${'A'.repeat(16)}.AAAA.${'A'.repeat(22)}&v=1&ts=${NOW}`
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const nested = encode('['.repeat(1000) + ']'.repeat(1000))
  const long = encode(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: 'x'.repeat(10_240) }))
  assert.equal((await exchange(portal, `/blocked?p=${nested}${tail}`)).status, 403)
  assert.equal((await exchange(portal, `/blocked?p=${long}${tail}`)).status, 414)
  const response = await exchangeBytes(portal, `GET /blocked?p=${'A'.repeat(1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
  assert.match(response, /^HTTP\/1\.1 431 /)
})

describe('only GET and HEAD are allowed', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH']) {
    test(method, async () => {
      for (const path of [`/blocked?${query}`, '/privacy', '/locale?set=de&page=privacy', '/healthz', '/nowhere']) {
        const { status, headers } = await exchange(portal, path, {}, method)
        assert.equal(status, 405)
        assert.equal(headers.get('allow'), 'GET, HEAD')
        assert.equal(headers.get('set-cookie'), undefined)
      }
    })
  }
  test('an unknown method, or a lower-case one', async () => {
    for (const method of ['get', 'GOT', 'PRI']) {
      const response = await exchangeBytes(portal, `${method} /blocked?${query} HTTP/1.1\r\nHost: a\r\n\r\n`)
      assert.match(response, /^HTTP\/1\.1 400 /)
    }
  })
  test('CONNECT', async () => {
    const response = await exchangeBytes(portal, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n')
    assert.equal(response, '', 'Node closes the connection')
  })
  test('a body is not read', async () => {
    const request = `POST /blocked?${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello`
    assert.match(await exchangeBytes(portal, request), /^HTTP\/1\.1 405 /)
  })
})
