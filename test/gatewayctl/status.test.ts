// `gatewayctl portal status` for a portal with faults: each finding is independent.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { DEFAULT_HOME } from '../../src/gatewayctl/deployment/installation.ts'
import type { Finding } from '../../src/gatewayctl/doctor/finding.ts'
import { freePort } from '../support/free-port.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { startPortalProcess } from '../support/portal-process.ts'
import { skipUnless } from '../support/requirement.ts'
import { until } from '../support/until.ts'
import { testGateway } from './aup/gateway.ts'
import { gatewayctl } from './gatewayctl.ts'

interface Readiness {
  readonly checks: { readonly database: { readonly state: string } }
}

test('the database’s finding is that of /readyz, whatever else is not ready', { timeout: 60_000 }, async (t) => {
  const gateway = await testGateway(t)
  const opsPort = await freePort()
  const envFile = join(gateway.home, '.env')
  const settings = readFileSync(envFile, 'utf8')
    .replace('GATEWAY_CAPTIVE_OPS_PORT=0', `GATEWAY_CAPTIVE_OPS_PORT=${opsPort}`)
    .replace('ENGINE_INTERNAL_URL=', 'ENGINE_INTERNAL_URL=http://127.0.0.1:1')
  writeFileSync(envFile, settings)
  await gateway.up()

  const status = async () => {
    const { stdout, stderr, status } = await gatewayctl(['portal', 'status', '--json'], { env: gateway.env })
    assert.equal(status, 1, stderr)
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    return Object.fromEntries(findings.map(({ check, state, detail }) => [check, { state, detail }]))
  }
  const path = /sqlite:\/\/\/(.*)/.exec(settings)?.[1] ?? assert.fail()
  const { engine, secret, database } = await status()
  assert.equal(engine?.state, 'failing')
  assert.match(`${engine?.detail}`, /^127\.0\.0\.1:1: not reachable: ECONNREFUSED/)
  assert.deepEqual(secret, { state: 'skipped', detail: 'not known: the engine is not reachable' })
  assert.ok(database !== undefined)
  assert.deepEqual(database, { state: 'ok', detail: `SQLite, ${path}` })

  using file = new DatabaseSync(path, { timeout: 2_000 })
  file.exec('alter table acceptance rename to gone')
  // `/readyz` is cached for five seconds.
  const isReady = async () => {
    const { checks } = (await (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).json()) as Readiness
    return checks.database.state === 'ok'
  }
  await until(async () => !(await isReady()), 20, 100)
  assert.match(
    `${(await status()).database?.detail}`,
    /^SQLite, .*: the ledger could not be written: a table or column is missing/,
  )
})

test('a portal that does not stay up: status shows why', { timeout: 60_000 }, async (t) => {
  const gateway = await testGateway(t)
  const envFile = join(gateway.home, '.env')
  const settings = readFileSync(envFile, 'utf8')
  writeFileSync(envFile, `${settings}\nGATEWAY_CAPTIVE_LOCALE=xx\nGATEWAY_CAPTIVE_SSL_BUMP=maybe\n`)
  spawnSync('docker', ['compose', '--file', 'compose.yaml', 'up', 'portal'], { env: gateway.env })
  await until(() => existsSync(join(gateway.env.ENGINE_STATE ?? '', 'exit-code')), 20, 50)
  const { status, stdout } = await gatewayctl(['portal', 'status'], { env: gateway.env })
  assert.equal(status, 1)
  assert.match(
    stdout,
    /^portal +failing +docker compose: gateway-portal-1 is exited, with exit status 2\n {4}The configuration has 2 problems:\n {6}GATEWAY_CAPTIVE_LOCALE must .*\n {6}GATEWAY_CAPTIVE_SSL_BUMP must be on or off; it is now "maybe"\n/,
  )
  const json = await gatewayctl(['portal', 'status', '--json'], { env: gateway.env })
  const [portal] = JSON.parse(json.stdout).findings
  assert.match(portal.log_lines.join('\n'), /^The configuration has 2 problems:$/m)
})

describe('without the gateway’s folder', {
  skip: skipUnless(!existsSync(DEFAULT_HOME), `needs a machine without ${DEFAULT_HOME}`),
  timeout: 60_000,
}, () => {
  const findingsOf = async (env: Readonly<Record<string, string>>) => {
    const { status, stdout } = await gatewayctl(['portal', 'status', '--json'], { env })
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    const found = (name: string) => findings.find(({ check }) => check === name)
    return { status, found, states: findings.map(({ check, state }) => `${check} ${state}`) }
  }

  test('status checks the portal’s own address, and says what it could not check', async (t) => {
    const [port, opsPort] = [await freePort(), await freePort()]
    const engine = await startHostileEngine(t, respondWith(rawResponse('200 OK', [], '{"kid":"AAAAAAAA"}')))
    const env = {
      GATEWAY_CAPTIVE_LISTEN_PORT: `${port}`,
      GATEWAY_CAPTIVE_OPS_PORT: `${opsPort}`,
      GATEWAY_CAPTIVE_SSL_BUMP: 'off',
      ENGINE_INTERNAL_URL: engine.url,
    }
    const portal = startPortalProcess(t, env)
    await portal.listening
    const { status, states, found } = await findingsOf({
      ...env,
      GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${portal.databasePath}`,
    })
    assert.deepEqual(states, [
      ...['portal ok', 'container skipped', 'version ok', 'engine ok', 'secret failing', 'database ok'],
      ...['acceptances warning', 'certificate off', 'policy skipped'],
    ])
    assert.equal(status, 1)
    assert.equal(found('portal')?.detail, `http://127.0.0.1:${port}/healthz responds`)
    const unchecked = 'not checked: there is no folder /etc/gateway; GATEWAY_HOME names the folder of the gateway'
    assert.deepEqual([found('container')?.detail, found('policy')?.detail], [unchecked, unchecked])
    assert.match(`${found('secret')?.detail}`, /^the engine seals with the key AAAAAAAA, /)

    const url = { GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${portal.databasePath}` }
    const doctor = await gatewayctl(['portal', 'doctor', '--json'], { env: { ...env, ...url } })
    const checks = (JSON.parse(doctor.stdout).findings as Finding[]).map(({ check, state }) => `${check} ${state}`)
    for (const state of states) assert.equal(checks.filter((one) => one === state).length, 1, `${state}: ${checks}`)
    assert.equal(checks.filter((check) => check.startsWith('secret ')).length, 1)
  })

  test('no portal there: exit code 1', async () => {
    const port = await freePort()
    const { status, states, found } = await findingsOf({ GATEWAY_CAPTIVE_LISTEN_PORT: `${port}` })
    assert.deepEqual([status, states], [1, ['portal failing', 'container skipped', 'policy skipped']])
    assert.equal(
      found('portal')?.detail,
      `http://127.0.0.1:${port}/healthz: the portal does not respond: ECONNREFUSED (/healthz)`,
    )
  })
})
