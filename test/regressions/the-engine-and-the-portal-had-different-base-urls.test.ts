// Without GATEWAY_CAPTIVE_BASE_URL the portal derived its address from the host name and the https port, but the
// compose file and the systemd unit passed an empty base URL to the engine, which did not start; since the
// portal derives its address. The engine now derives it from the same values.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { loadSettings, NO_OPTIONS, policy } from '../engine/running-engine.ts'
import { load } from '../settings/load.ts'

type Variables = Readonly<Record<string, string>>

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

/** The environment in which each deployment starts the engine. */
const DEPLOYMENTS: Readonly<Record<string, (variables: Variables) => Variables>> = {
  'the compose file'(variables) {
    const { services } = parse(read('deploy/compose.yaml'), { merge: true })
    const environment: Variables = services.engine.environment
    const expand = (text: string) =>
      text.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, otherwise) => variables[name] || otherwise)
    return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, expand(text)]))
  },
  'the systemd unit'(variables) {
    const lines = read('deploy/systemd/gateway-engine.service').match(/(?<=^Environment=).*/gm) ?? []
    const defaults = lines.flatMap((line) => line.split(' ').map((one) => one.split(/=(.*)/s, 2)))
    return { ...Object.fromEntries(defaults), ...variables }
  },
}

for (const [name, environmentOf] of Object.entries(DEPLOYMENTS)) {
  for (const variables of [
    {},
    { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
    { GATEWAY_CAPTIVE_HOSTNAME: '2001:db8::7', GATEWAY_CAPTIVE_BASE_URL: '' },
    // Control: it was always passed on.
    { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example:444' },
  ]) {
    test(`${name}, ${JSON.stringify(variables)}: the engine redirects to the portal’s own address`, () => {
      const options = { ...NO_OPTIONS, env: environmentOf(variables) }
      const { portal } = loadSettings(options, () => Buffer.from(policy('')))
      assert.equal(portal.baseUrl, load(variables).config.publicAddress.baseUrl)
    })
  }
}
