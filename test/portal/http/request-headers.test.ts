// The headers that the portal reads, in any case, order and number.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { PortalRequest, readHeaders } from '../../../src/portal/http/request-headers.ts'
import { listen } from '../../support/listen.ts'

/** The headers that were sent. */
const present = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))

test('names are found in any case, and others are ignored', () => {
  const headers = readHeaders(['Host', 'a', 'ACCEPT-LANGUAGE', 'fr', 'sec-Fetch-Dest', 'image', 'X-Forwarded-Hos', 'x'])
  assert.deepEqual(present(headers), { 'accept-language': 'fr', host: 'a', 'sec-fetch-dest': 'image' })
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
  assert.deepEqual(present(headers), { 'x-override-code': '1', 'x-forwarded-for': '2', 'sec-fetch-site': '4' })
})

test('several of one name are joined, so that two never pass for one', () => {
  const twice = ['Sec-Fetch-Dest', 'document', 'sec-fetch-dest', 'image', 'Cookie', 'a=1', 'cookie', 'b=2']
  assert.deepEqual(present(readHeaders(twice)), { 'sec-fetch-dest': 'document, image', cookie: 'a=1; b=2' })
})

test('an empty value is a value, and prototypes are not touched', () => {
  const headers = readHeaders(['X-Override-Code', '', '__proto__', 'x', 'constructor', 'x'])
  assert.deepEqual(present(headers), { 'x-override-code': '' })
})

test('Node’s server reads the same headers as the portal', async (t) => {
  const server = createServer({ IncomingMessage: PortalRequest }, ({ headers }, response) => {
    response.end(JSON.stringify([headers.host, headers['user-agent'], Object.hasOwn(headers, 'x-other')]))
  })
  const port = await listen(t, server)
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'user-agent': 'one', 'x-other': 'two' } })
  assert.deepEqual(await response.json(), [`127.0.0.1:${port}`, 'one', false])
})
