// GATEWAY_HOME: verbs read from the deployment's folder what the environment does not set.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeServed } from '../support/certificates.ts'
import { databases } from '../support/databases.ts'
import { emptyLedger, fill } from '../support/ledgers.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { databaseUrl, gatewayctl } from './gatewayctl.ts'

const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const LIST = ['portal', 'acceptances', 'list', '--json']
const PAC = ['portal', 'pac', '--proxy', 'proxy.example:3128']

function home(t: TestContext, variables: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'compose.yaml'), 'services: { portal: {} }\n')
  writeFileSync(
    join(folder, '.env'),
    Object.entries(variables)
      .map((pair) => `${pair.join('=')}\n`)
      .join(''),
  )
  return folder
}

test('the ledger of the folder; the environment wins, by value or by file', async (t) => {
  const [one, other] = [await emptyLedger(t, sqlite), await emptyLedger(t, sqlite)]
  await fill(one, 1)
  await fill(other, 2)
  const GATEWAY_HOME = home(t, { GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl(one) })
  const file = join(GATEWAY_HOME, 'url')
  writeFileSync(file, databaseUrl(other))
  const totals = await Promise.all(
    [
      { GATEWAY_HOME },
      { GATEWAY_HOME, GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl(other) },
      { GATEWAY_HOME, GATEWAY_CAPTIVE_DATABASE_URL_FILE: file },
    ].map(async (env) => {
      const { stdout, stderr } = await gatewayctl(LIST, { env })
      return stderr.includes('error') ? stderr : JSON.parse(stdout).total
    }),
  )
  assert.deepEqual(totals, [1, 2, 2])
})

test('a file that exists only in the container: the error names the command to run', async (t) => {
  const GATEWAY_HOME = home(t, { GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite:////var/lib/portal-of-a-container/portal.db' })
  const { status, stderr } = await gatewayctl(LIST, { env: { GATEWAY_HOME } })
  assert.equal(status, 1)
  assert.match(stderr, /is a file in the portal's container, so run this in it: docker compose exec portal node/)
})

test('a missing folder is misuse', async () => {
  const env = { GATEWAY_HOME: '/nowhere/at/all' }
  for (const args of [LIST, PAC, ['portal', 'ca'], ['portal', 'doctor'], ['portal', 'preview']]) {
    const { status, stderr } = await gatewayctl(args, { env })
    assert.deepEqual(
      [status, stderr],
      [2, 'error: there is no folder /nowhere/at/all; GATEWAY_HOME names the folder of the gateway\n'],
    )
  }
})

test('host name, certificate and what the doctor expects', { skip: skipWithoutOpenssl }, async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'ca'))
  const path = join(folder, 'ca', 'ca.crt')
  writeFileSync(path, makeServed('portal.example').ca.certificate)
  const GATEWAY_HOME = home(t, {
    GATEWAY_CAPTIVE_HOSTNAME: 'portal.example',
    GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example:1',
    GATEWAY_CAPTIVE_HTTPS_PORT: '1',
    GATEWAY_CAPTIVE_CA_PATH: path,
    ENGINE_INTERNAL_URL: '',
  })
  const [pac, ca, doctor] = await Promise.all([
    gatewayctl(PAC, { env: { GATEWAY_HOME } }),
    gatewayctl(['portal', 'ca', '--json'], { env: { GATEWAY_HOME } }),
    gatewayctl(['portal', 'doctor', '--json', '--connect-https', '127.0.0.1:1', '--connect-http', '127.0.0.1:1'], {
      env: { GATEWAY_HOME },
    }),
  ])
  assert.match(pac.stdout, /var direct = \["portal\.example"\]/)
  assert.equal(JSON.parse(ca.stdout).path, path)
  const { findings } = JSON.parse(doctor.stdout)
  assert.match(JSON.stringify(findings), /https:\/\/portal\.example:1/)
})

test('a certificate that exists only in the container: the error names the command; not for an explicit file', async (t) => {
  const GATEWAY_HOME = home(t, {})
  const missing = await gatewayctl(['portal', 'ca'], { env: { GATEWAY_HOME } })
  assert.equal(missing.status, 1)
  assert.match(
    missing.stderr,
    /there is no file \/run\/gateway.*; the portal runs in a container.*: docker compose exec portal /,
  )
  const broken = join(GATEWAY_HOME, 'ca.crt')
  writeFileSync(broken, '')
  const named = await gatewayctl(['portal', 'ca'], { env: { GATEWAY_HOME, GATEWAY_CAPTIVE_CA_PATH: broken } })
  assert.doesNotMatch(named.stderr, /docker compose/)
})
