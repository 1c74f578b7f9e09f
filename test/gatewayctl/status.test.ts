// `gatewayctl portal status` for a portal with faults: each finding is independent.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { testGateway } from './aup/gateway.ts'
import { gatewayctl } from './gatewayctl.ts'

test('the database’s finding is that of /readyz, whatever else is not ready', { timeout: 60_000 }, async (t) => {
  const gateway = await testGateway(t)
  const envFile = join(gateway.home, '.env')
  const settings = readFileSync(envFile, 'utf8')
    .replace('GATEWAY_CAPTIVE_OPS_PORT=0', `GATEWAY_CAPTIVE_OPS_PORT=${await freePort()}`)
    .replace('ENGINE_INTERNAL_URL=', 'ENGINE_INTERNAL_URL=http://127.0.0.1:1')
  writeFileSync(envFile, settings)
  await gateway.up()

  const status = async () => {
    const { stdout, stderr, status } = await gatewayctl(['portal', 'status', '--json'], { env: gateway.env })
    assert.equal(status, 1, stderr)
    const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string; says: string }[] }
    return Object.fromEntries(findings.map(({ name, state, says }) => [name, { state, says }]))
  }
  const path = /sqlite:\/\/\/(.*)/.exec(settings)?.[1] ?? assert.fail()
  const { engine, database } = await status()
  assert.equal(engine?.state, 'wrong')
  assert.ok(database !== undefined)
  assert.deepEqual(database, { state: 'ok', says: `SQLite, ${path}` })

  using file = new DatabaseSync(path, { timeout: 2_000 })
  file.exec('alter table acceptance rename to gone')
  // `/readyz` is cached for five seconds.
  const deadline = Date.now() + 20_000
  let says: string | undefined
  do {
    assert.ok(Date.now() < deadline)
    says = (await status()).database?.says
  } while (says === database.says)
  assert.match(`${says}`, /^SQLite, .*: the ledger could not be reached: no such table/)
})

test('a memory-backed ledger: status warns, and explains how to keep acceptances', { timeout: 60_000 }, async (t) => {
  const gateway = await testGateway(t)
  await gateway.up()
  const acceptances = async () => {
    const { status, stdout, stderr } = await gatewayctl(['portal', 'status'], { env: gateway.env })
    assert.equal(status, 0, stdout + stderr)
    return /^acceptances +(.*)$/m.exec(stdout)?.[1]
  }
  assert.match(
    `${await acceptances()}`,
    /^warning +the ledger is memory-backed: .* set GATEWAY_CAPTIVE_DATABASE_URL=sqlite:\/{4}var\/lib\/portal\/portal\.db .*postgresql:/,
  )

  const folder = mkdtempSync('/var/tmp/gatewayctl-test-')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const envFile = join(gateway.home, '.env')
  const settings = readFileSync(envFile, 'utf8')
  writeFileSync(envFile, settings.replace(/sqlite:.*/, `sqlite:///${folder}/portal.db`))
  await gateway.up()
  assert.equal(await acceptances(), undefined)
  writeFileSync(envFile, settings.replace(/sqlite:.*/, 'sqlite://'))
  await gateway.up()
  assert.match(`${await acceptances()}`, /^warning +the ledger is memory-backed: /)
})
