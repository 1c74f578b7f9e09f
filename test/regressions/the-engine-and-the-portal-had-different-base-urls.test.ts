// Without GATEWAY_CAPTIVE_BASE_URL the portal derived its address from the host name and the https port, but the
// compose file and the systemd unit passed an empty base URL to the engine, which did not start; since the
// portal derives its address. The engine now derives it from the same values.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { load } from '../settings/load.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { createIssuer } from '../support/engine-process.ts'
import { logLine } from '../support/log-line.ts'
import { SECRET } from '../support/payloads.ts'

type Variables = Readonly<Record<string, string>>

const source = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))

/** The command with which each deployment starts the engine. */
const DEPLOYMENTS: Readonly<Record<string, (variables: Variables) => string[]>> = {
  'the compose file'(variables) {
    const { services } = parse(readFileSync(source('deploy/compose.yaml'), 'utf8'), { merge: true })
    return services.engine.command.map((word: string) =>
      word.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, otherwise) => variables[name] || otherwise),
    )
  },
  'the systemd unit'(variables) {
    const unit = readFileSync(source('deploy/systemd/gateway-engine.service'), 'utf8')
    const [, words = ''] = /^ExecStart=[\s\S]*? src\/engine\/main\.ts (.*)$/m.exec(unit) ?? []
    return words.split(' ').map((word) => word.replace(/\$\{(\w+)\}/g, (_, name) => variables[name] ?? ''))
  },
}

async function redirectOf(t: TestContext, deployed: readonly string[]): Promise<URL> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-base-url-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, SECRET)
  const words = [...deployed]
  // Paths and the address of this machine.
  for (const [option, value] of [
    ['--config', source('src/engine/sample-policy.toml')],
    ['--listen', '127.0.0.1:0'],
    ['--publish', folder],
    ['--secret-file', secretFile],
    ['--api-token-file', secretFile],
    ['--icap', '127.0.0.1:0'],
    ['--icap-token-file', secretFile],
  ] as const) {
    const at = words.indexOf(option)
    words.splice(at < 0 ? words.length : at, at < 0 ? 0 : 2, option, value)
  }
  const engine = spawn(process.execPath, [source('src/engine/main.ts'), ...words], {
    env: COMPILE_CACHE,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(engine, 'close')
  t.after(async () => {
    engine.kill('SIGKILL')
    await ended
  })
  let output = ''
  engine.stderr.on('data', (chunk) => {
    output += chunk
  })
  const line = await logLine(engine.stdout, /listening on https/)
  const address = /listening on (https:[^"]+)/.exec(`${line}`)?.[1]
  assert.ok(address, `the engine did not start: ${output}`)
  const issuer = createIssuer(address, readFileSync(join(folder, 'ca', 'ca.crt')), SECRET)
  t.after(() => issuer.close())
  return await issuer.issue('news.localhost', '192.0.2.1')
}

for (const [name, wordsOf] of Object.entries(DEPLOYMENTS)) {
  for (const variables of [
    {},
    { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
    { GATEWAY_CAPTIVE_HOSTNAME: '2001:db8::7', GATEWAY_CAPTIVE_BASE_URL: '' },
  ]) {
    test(`${name}, ${JSON.stringify(variables)}: the engine redirects to the portal’s own address`, async (t) => {
      const redirect = await redirectOf(t, wordsOf(variables))
      assert.equal(redirect.origin, load(variables).config.publicAddress.baseUrl)
    })
  }

  test(`${name}: a base URL that is set was always forwarded`, async (t) => {
    const variables = {
      GATEWAY_CAPTIVE_HOSTNAME: 'portal.example',
      GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example:444',
    }
    const redirect = await redirectOf(t, wordsOf(variables))
    assert.equal(redirect.origin, 'https://portal.example:444')
  })
}
