// Request targets and queries that are almost valid: compared byte for byte, not decoded, folded or joined.
import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import { claims, verdictQuery } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { assertOwnResponse } from '../acknowledgement/relay.ts'
import * as bare from '../exchange.ts'

const portal = await startPortal(undefined)
after(() => portal.close())

const query = verdictQuery(claims(NOW))

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

// Each malformed query: test/contract/verdict-url.test.ts.
test('a query that is not exactly the three parameters is malformed', async () => {
  const queries = ['', `${query}&x=1`, `?${query}`, `${query}#x`, `${query}${'&a'.repeat(2000)}`]
  for (const text of queries) assert.equal((await exchange(portal, `/blocked?${text}`)).status, 400, text)
})

test('a request line of a megabyte is refused', async () => {
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
