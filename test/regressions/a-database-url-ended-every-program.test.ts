// `?ssl=require`, which asyncpg documents, in the URL of a PostgreSQL database ended portal, engine, `--check` and gatewayctl with
// a TypeError: the driver took the text for an object. Other parameters were ignored or had another meaning than elsewhere:
// `sslmode=bogus` was accepted, `sslmode=require` verified the certificate, and the remedy of its error was an option of Node.
// `postgresql://u:p@/db?host=/run/postgresql` was rejected. Since the first version with PostgreSQL.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkDatabase } from '../../src/database/check.ts'
import { LEDGER_SCHEMA } from '../../src/ledger/migrations.ts'
import { loadDatabase } from '../../src/settings/sections/database.ts'
import { gatewayctl } from '../gatewayctl/gatewayctl.ts'
import { load, problemsOf } from '../settings/load.ts'
import { freePort } from '../support/free-port.ts'
import { startPortalProcess } from '../support/portal-process.ts'
import { postgresLocation } from '../support/postgres-server.ts'

const REFUSED = /no server accepts connections at this address \(ECONNREFUSED\)/

describe('?ssl=require', () => {
  test('--check says what is wrong with the connection', async (t) => {
    const url = `postgresql://u:p@127.0.0.1:${await freePort()}/d?ssl=require`
    const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_DATABASE_URL: url }, [], undefined, ['--check'])
    assert.equal(await portal.ended, 2)
    assert.match(portal.errors(), REFUSED)
    assert.doesNotMatch(portal.errors(), /TypeError|node_modules|connect ECONN/)
  })
  test('gatewayctl says it, too', async () => {
    const url = `postgresql://u@127.0.0.1:${await freePort()}/d?ssl=require`
    const { status, stderr } = await gatewayctl(['portal', 'acceptances', 'list', '--database-url', url])
    assert.equal(status, 1)
    assert.match(stderr, REFUSED)
  })
  test('the engine checks its state with it', async () => {
    const url = `postgresql://u@127.0.0.1:${await freePort()}/d?ssl=require`
    assert.match(
      `${(await checkDatabase(loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL: url }), LEDGER_SCHEMA)).fault}`,
      REFUSED,
    )
  })
})

test('an unknown value is rejected, also by the options of gatewayctl', async () => {
  const url = 'postgresql://u@db/d?sslmode=bogus'
  const rule = /must have disable, require, verify-ca or verify-full as sslmode; it has "bogus"/
  assert.match(`${problemsOf({ GATEWAY_CAPTIVE_DATABASE_URL: url })}`, rule)
  for (const [name, verb] of [
    ['--database-url', ['list']],
    ['--to-database-url', ['copy', '--database-url', 'sqlite:////nowhere']],
  ] as const) {
    const { status, stderr } = await gatewayctl(['portal', 'acceptances', ...verb, name, url])
    assert.equal(status, 2)
    assert.match(stderr, new RegExp(`${name} ${rule.source}`))
  }
})

test('the folder of a socket, with a user and a password', () => {
  const url = 'postgresql://u:p@/db?host=/run/postgresql'
  assert.deepEqual(load({ GATEWAY_CAPTIVE_DATABASE_URL: url }).config.database, postgresLocation(url))
})

test('control: sslmode=verify-full', () => {
  const url = 'postgresql://u:p@db/d?sslmode=verify-full'
  assert.deepEqual(load({ GATEWAY_CAPTIVE_DATABASE_URL: url }).config.database, postgresLocation(url))
})
