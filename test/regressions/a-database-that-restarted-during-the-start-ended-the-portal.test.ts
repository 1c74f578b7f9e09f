// At its start the portal waits for a database that is not reachable yet. The texts of the policies were stored after that, without
// a second attempt: a database that ended the connection in between, as one does that is restarted or fails over, ended the portal.
// Since the wait exists.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { databases, query } from '../support/databases.ts'
import { startPortalProcess } from '../support/portal-process.ts'
import { noPostgres, postgresUrl } from '../support/postgres-server.ts'

/** A ledger that does this with every text, or with the first one. */
async function createLedger(t: TestContext, action: string) {
  const location = await databases.find(({ name }) => name === 'PostgreSQL')?.create(t)
  assert.ok(location?.dialect === 'postgres')
  await (await openLedger(location, { clock: Date.now, migrate: true })).close()
  await query(
    location,
    `create sequence texts;
    create function on_text() returns trigger language plpgsql as $$ begin ${action}; return new; end $$;
    create trigger on_text before insert on document for each row execute function on_text()`,
  )
  return location
}

describe('a database that ends the connection while the texts are stored', {
  skip: noPostgres,
  timeout: 60_000,
}, () => {
  test('is waited for', async (t) => {
    const once = `if nextval('texts') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if`
    const location = await createLedger(t, once)
    const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_DATABASE_URL: postgresUrl(location) })
    assert.equal((await fetch(`${await portal.listening}/healthz`)).status, 200)
    assert.ok(portal.lines.some((line) => line.includes('the database is not reachable yet')))
    assert.deepEqual(await query(location, 'select count(*)::int as texts from document'), [{ texts: 4 }])
  })
  test('control: where a database refuses the texts, the portal stops at once', async (t) => {
    const location = await createLedger(t, `raise exception 'no texts'`)
    const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_DATABASE_URL: postgresUrl(location) })
    assert.equal(await portal.ended, 1)
  })
})
