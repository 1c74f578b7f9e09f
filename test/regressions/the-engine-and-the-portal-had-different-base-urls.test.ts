// Without GATEWAY_CAPTIVE_BASE_URL the portal derived its address from the host name and the https port, but the
// compose file and the systemd unit passed an empty base URL to the engine, which did not start; since the
// portal derives its address. The engine now derives it from the same values.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { type CommandLine, parseCommandLine } from '../../src/engine/settings/command-line.ts'
import { load } from '../settings/load.ts'

type Variables = Readonly<Record<string, string>>

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

/** The command with which each deployment starts the engine. */
const DEPLOYMENTS: Readonly<Record<string, (variables: Variables) => string[]>> = {
  'the compose file'(variables) {
    const { services } = parse(read('deploy/compose.yaml'), { merge: true })
    return services.engine.command.map((word: string) =>
      word.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, otherwise) => variables[name] || otherwise),
    )
  },
  'the systemd unit'(variables) {
    const [, words = ''] =
      /^ExecStart=[\s\S]*? src\/engine\/main\.ts (.*)$/m.exec(read('deploy/systemd/gateway-engine.service')) ?? []
    return words.split(' ').map((word) => word.replace(/\$\{(\w+)\}/g, (_, name) => variables[name] ?? ''))
  },
}

for (const [name, wordsOf] of Object.entries(DEPLOYMENTS)) {
  for (const variables of [
    {},
    { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
    { GATEWAY_CAPTIVE_HOSTNAME: '2001:db8::7', GATEWAY_CAPTIVE_BASE_URL: '' },
    // Control: it was always passed on.
    { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example:444' },
  ]) {
    test(`${name}, ${JSON.stringify(variables)}: the engine redirects to the portal’s own address`, () => {
      const { baseUrl } = parseCommandLine(wordsOf(variables)) as CommandLine
      assert.equal(new URL(baseUrl ?? '').origin, load(variables).config.publicAddress.baseUrl)
    })
  }
}
