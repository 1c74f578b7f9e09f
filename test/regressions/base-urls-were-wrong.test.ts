// Stories of the portal's address where GATEWAY_CAPTIVE_BASE_URL is unset; each suite is one.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { loadSettings, NO_OPTIONS, policy } from '../engine/running-engine.ts'
import { load } from '../settings/load.ts'

type Variables = Readonly<Record<string, string>>

const address = (changes: Variables) => load(changes).config.publicAddress.baseUrl

// With GATEWAY_CAPTIVE_HOSTNAME set and GATEWAY_CAPTIVE_BASE_URL unset, the portal redirected to https://localhost and
// printed that address on the certificate page, since the first version. The default now follows the host name and the
// https port, and a port that contradicts the base URL is a warning at start.
describe('a host name alone left the base URL at localhost', () => {
  test('an unset base URL is https, the host name, and the https port unless it is 443', () => {
    for (const [changes, expected] of [
      [{}, 'https://localhost'],
      [{ GATEWAY_CAPTIVE_HOSTNAME: 'Portal.example' }, 'https://portal.example'],
      [{ GATEWAY_CAPTIVE_HOSTNAME: 'a.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }, 'https://a.example:8443'],
      [{ GATEWAY_CAPTIVE_HOSTNAME: '192.0.2.7', GATEWAY_CAPTIVE_BASE_URL: ' ' }, 'https://192.0.2.7'],
      [{ GATEWAY_CAPTIVE_HOSTNAME: '2001:db8::7', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }, 'https://[2001:db8::7]:8443'],
      // The http port does not affect it.
      [{ GATEWAY_CAPTIVE_HTTP_PORT: '8080' }, 'https://localhost'],
      // Control: one that is set was always used unchanged.
      [
        { GATEWAY_CAPTIVE_BASE_URL: 'https://localhost:8443', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
        'https://localhost:8443',
      ],
      // Control: a plain-http portal on loopback has no terminator: its port contradicts nothing.
      [{ GATEWAY_CAPTIVE_BASE_URL: 'http://localhost:8000' }, 'http://localhost:8000'],
    ] as const) {
      assert.equal(address(changes), expected)
      assert.deepEqual(load(changes).warnings, [], expected)
    }
  })
  test('a port that contradicts the base URL is one warning that names both', () => {
    const plain = { GATEWAY_CAPTIVE_BASE_URL: 'http://portal.example', GATEWAY_CAPTIVE_HOSTNAME: 'portal.example' }
    for (const [changes, expected] of [
      [{ GATEWAY_CAPTIVE_BASE_URL: 'https://localhost:8443' }, 'port 8443, but GATEWAY_CAPTIVE_HTTPS_PORT is 443'],
      [
        { GATEWAY_CAPTIVE_BASE_URL: 'https://localhost', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
        'port 443, but GATEWAY_CAPTIVE_HTTPS_PORT is 8443',
      ],
      [{ ...plain, GATEWAY_CAPTIVE_HTTP_PORT: '8080' }, 'port 80, but GATEWAY_CAPTIVE_HTTP_PORT is 8080'],
    ] as const) {
      const warned = load(changes).warnings.filter((warning) => warning.includes(' names port '))
      assert.deepEqual(warned, [`GATEWAY_CAPTIVE_BASE_URL names ${expected}`])
    }
  })
})

// Without GATEWAY_CAPTIVE_BASE_URL the portal derived its address from the host name and the https port, but the
// compose file and the systemd unit passed an empty base URL to the engine, which did not start; since the
// portal derives its address. The engine now derives it from the same values.
describe('the engine and the portal had different base URLs', () => {
  const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

  /** The environment in which each deployment starts the engine. */
  const DEPLOYMENTS: Readonly<Record<string, (variables: Variables) => Variables>> = {
    'the compose file'(variables) {
      const { services } = parse(read('deploy/compose.yaml'), { merge: true })
      const expand = (text: string) =>
        text.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, otherwise) => variables[name] || otherwise)
      const environment: Variables = services.engine.environment
      return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, expand(text)]))
    },
    'the systemd unit'(variables) {
      const lines = read('deploy/systemd/gateway-engine.service').match(/(?<=^Environment=).*/gm) ?? []
      const defaults = lines.flatMap((line) => line.split(' ').map((one) => one.split(/=(.*)/s, 2)))
      return { ...Object.fromEntries(defaults), ...variables }
    },
  }
  for (const [name, environmentOf] of Object.entries(DEPLOYMENTS)) {
    test(`${name}: the engine redirects to the portal’s own address`, () => {
      for (const variables of [
        {},
        { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
        { GATEWAY_CAPTIVE_HOSTNAME: '2001:db8::7', GATEWAY_CAPTIVE_BASE_URL: '' },
        // Control: it was always passed on.
        { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example:444' },
      ]) {
        const options = { ...NO_OPTIONS, env: environmentOf(variables) }
        const { portal } = loadSettings(options, () => Buffer.from(policy('')))
        assert.equal(portal.baseUrl, address(variables))
      }
    })
  }
})
