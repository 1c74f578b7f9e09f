// With GATEWAY_CAPTIVE_HOSTNAME set and GATEWAY_CAPTIVE_BASE_URL unset, the portal redirected to https://localhost and
// printed that address on the certificate page, since the first version. The default now follows the host name and the
// https port, and a port that contradicts the base URL is a warning at start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../settings/load.ts'

const address = (changes: Record<string, string>) => load(changes).config.publicAddress.baseUrl

test('an unset base URL is https, the host name, and the https port unless it is 443', () => {
  for (const [changes, expected] of [
    [{}, 'https://localhost'],
    [{ GATEWAY_CAPTIVE_HOSTNAME: 'Portal.example' }, 'https://portal.example'],
    [{ GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }, 'https://portal.example:8443'],
    [{ GATEWAY_CAPTIVE_HOSTNAME: '192.0.2.7', GATEWAY_CAPTIVE_BASE_URL: ' ' }, 'https://192.0.2.7'],
    [{ GATEWAY_CAPTIVE_HOSTNAME: '2001:db8::7', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }, 'https://[2001:db8::7]:8443'],
    // The http port does not affect it.
    [{ GATEWAY_CAPTIVE_HTTP_PORT: '8080' }, 'https://localhost'],
  ] as const) {
    assert.equal(address(changes), expected)
    assert.deepEqual(load(changes).warnings, [], expected)
  }
})

test('a port that contradicts the base URL is one warning that names both', () => {
  const warned = (changes: Record<string, string>) => load(changes).warnings
  assert.deepEqual(warned({ GATEWAY_CAPTIVE_BASE_URL: 'https://localhost:8443' }), [
    'GATEWAY_CAPTIVE_BASE_URL names port 8443, but GATEWAY_CAPTIVE_HTTPS_PORT is 443',
  ])
  assert.deepEqual(warned({ GATEWAY_CAPTIVE_BASE_URL: 'https://localhost', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }), [
    'GATEWAY_CAPTIVE_BASE_URL names port 443, but GATEWAY_CAPTIVE_HTTPS_PORT is 8443',
  ])
  const plain = { GATEWAY_CAPTIVE_BASE_URL: 'http://portal.example', GATEWAY_CAPTIVE_HOSTNAME: 'portal.example' }
  assert.match(warned({ ...plain, GATEWAY_CAPTIVE_HTTP_PORT: '8080' }).join('\n'), /port 80, but \S+_HTTP_PORT is 8080/)
})

test('a base URL that is set was always used unchanged', () => {
  const set = { GATEWAY_CAPTIVE_BASE_URL: 'https://localhost:8443', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }
  assert.equal(address(set), 'https://localhost:8443')
  assert.deepEqual(load(set).warnings, [])
  // A plain-http portal on loopback has no terminator: its port contradicts nothing.
  assert.deepEqual(load({ GATEWAY_CAPTIVE_BASE_URL: 'http://localhost:8000' }).warnings, [])
})
