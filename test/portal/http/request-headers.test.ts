// The headers that the portal reads, in any case, order and number.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { PortalRequest, readHeaders } from '../../../src/portal/http/request-headers.ts'

test('names are found in any case, and others are ignored', () => {
  const headers = readHeaders(['Host', 'a', 'ACCEPT-LANGUAGE', 'fr', 'sec-Fetch-Dest', 'image', 'X-Forwarded-Hos', 'x'])
  assert.equal(headers['accept-language'], 'fr')
  assert.equal(headers['sec-fetch-dest'], 'image')
  assert.deepEqual(
    Object.values(headers).filter((value) => value !== undefined),
    ['fr', 'a', 'image'],
  )
})

test('names of the same length are not confused', () => {
  const headers = readHeaders([
    'X-Override-Code',
    '1',
    'X-Forwarded-For',
    '2',
    'Sec-Fetch-Mode',
    '3',
    'Sec-Fetch-Site',
    '4',
  ])
  assert.equal(headers['x-override-code'], '1')
  assert.equal(headers['x-forwarded-for'], '2')
  assert.equal(headers['sec-fetch-site'], '4')
  assert.equal(headers['accept-language'], undefined)
  assert.equal(headers['sec-fetch-dest'], undefined)
})

test('several of one name are joined, so that two never pass for one', () => {
  const headers = readHeaders([
    'Sec-Fetch-Dest',
    'document',
    'sec-fetch-dest',
    'image',
    'Cookie',
    'a=1',
    'cookie',
    'b=2',
  ])
  assert.equal(headers['sec-fetch-dest'], 'document, image')
  assert.equal(headers.cookie, 'a=1; b=2')
})

test('Node’s server reads the same headers as the portal', async () => {
  const server = createServer({ IncomingMessage: PortalRequest }, (request, response) => {
    response.end(
      JSON.stringify([request.headers.host, request.headers['user-agent'], Object.hasOwn(request.headers, 'x-other')]),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'user-agent': 'one', 'x-other': 'two' } })
  assert.deepEqual(await response.json(), [`127.0.0.1:${port}`, 'one', false])
  server.close()
})

test('an empty value is a value, and prototypes are not touched', () => {
  const headers = readHeaders(['X-Override-Code', '', '__proto__', 'x', 'constructor', 'x'])
  assert.equal(headers['x-override-code'], '')
  assert.equal(Object.values(headers).filter((value) => value !== undefined).length, 1)
})
