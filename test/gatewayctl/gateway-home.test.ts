// GATEWAY_HOME: verbs read from the deployment's folder what the environment does not set.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeServed } from '../support/certificates.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { gatewayctl } from './gatewayctl.ts'

const LIST = ['portal', 'acceptances', 'list', '--json']
const PAC = ['portal', 'pac', '--proxy', 'proxy.example:3128']

function home(t: TestContext, variables: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'compose.yaml'), 'services: { portal: {} }\n')
  const lines = Object.entries(variables).map((pair) => `${pair.join('=')}\n`)
  writeFileSync(join(folder, '.env'), lines.join(''))
  return folder
}

test('what exists only in the container: the error names the command to run; not for an explicit file', async (t) => {
  const GATEWAY_HOME = home(t, { GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite:////var/lib/portal-of-a-container/portal.db' })
  const env = { GATEWAY_HOME }
  const [ledger, ca] = await Promise.all([gatewayctl(LIST, { env }), gatewayctl(['portal', 'ca'], { env })])
  assert.deepEqual([ledger.status, ca.status], [1, 1])
  assert.match(ledger.stderr, /is a file in the portal's container, so run this in it: docker compose exec portal node/)
  assert.match(
    ca.stderr,
    /there is no file \/run\/gateway.*; the portal runs in a container.*: docker compose exec portal /,
  )
  const broken = join(GATEWAY_HOME, 'ca.crt')
  writeFileSync(broken, '')
  const named = await gatewayctl(['portal', 'ca'], { env: { ...env, GATEWAY_CAPTIVE_CA_PATH: broken } })
  assert.doesNotMatch(named.stderr, /docker compose/)
})

test('a missing folder is misuse', async () => {
  const env = { GATEWAY_HOME: '/nowhere/at/all' }
  const message = 'error: there is no folder /nowhere/at/all; GATEWAY_HOME names the folder of the gateway\n'
  for (const args of [LIST, PAC, ['portal', 'ca'], ['portal', 'doctor'], ['portal', 'preview']]) {
    assert.deepEqual(await gatewayctl(args, { env }), { status: 2, stdout: '', stderr: message }, args.join(' '))
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
  const env = { GATEWAY_HOME }
  const nowhere = ['--connect-https', '127.0.0.1:1', '--connect-http', '127.0.0.1:1']
  const [pac, ca, doctor] = await Promise.all([
    gatewayctl(PAC, { env }),
    gatewayctl(['portal', 'ca', '--json'], { env }),
    gatewayctl(['portal', 'doctor', '--json', ...nowhere], { env }),
  ])
  assert.match(pac.stdout, /var direct = \["portal\.example"\]/)
  assert.equal(JSON.parse(ca.stdout).path, path)
  assert.match(JSON.stringify(JSON.parse(doctor.stdout).findings), /https:\/\/portal\.example:1/)
})
