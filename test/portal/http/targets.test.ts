// Request targets and queries that are almost valid: compared byte for byte, not decoded, folded or joined.
import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import { claims, verdictQuery } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { assertOwnResponse } from '../acknowledgement/relay.ts'
import * as bare from '../exchange.ts'

const portal = await startPortal({ after })

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
    '//blocked',
    '/./blocked',
    '/%62locked',
    '/blocked%00',
    '/blocked;x',
    '/blocked#x',
    '/blocked%3f',
    '/blocked\\',
    '//evil.example/blocked',
    '/\\evil.example',
    '/',
    '/__proto__',
    `/${'a'.repeat(7000)}`,
  ]
  test('nor redirected', async () => {
    for (const path of paths) {
      const { status, headers } = await exchange(portal, `${path}?${query}`)
      assert.deepEqual([status, headers.get('location')], [404, undefined], path)
    }
  })
  test('nor is a target without a path', async () => {
    for (const target of ['*', 'blocked', '\\blocked', 'evil.example:443', 'http://evil.example/blocked']) {
      const response = await exchangeBytes(portal, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      assert.match(response, /^HTTP\/1\.1 400 /)
      assert.doesNotMatch(response, /^location:/im)
    }
  })
})

test('a request line of a megabyte is refused', async () => {
  const response = await exchangeBytes(portal, `GET /blocked?p=${'A'.repeat(1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
  assert.match(response, /^HTTP\/1\.1 431 /)
})

describe('only GET and HEAD are allowed', () => {
  test('on any path', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH']) {
      for (const path of [`/blocked?${query}`, '/privacy', '/locale?set=de&page=privacy', '/healthz', '/nowhere']) {
        const { status, headers } = await exchange(portal, path, {}, method)
        assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD'], `${method} ${path}`)
        assert.equal(headers.get('set-cookie'), undefined)
      }
    }
  })
  test('an unknown method, or a lower-case one', async () => {
    for (const method of ['get', 'GOT', 'PRI']) {
      const response = await exchangeBytes(portal, `${method} /blocked?${query} HTTP/1.1\r\nHost: a\r\n\r\n`)
      assert.match(response, /^HTTP\/1\.1 400 /)
    }
  })
})
