// Seen: with a full disk every acceptance got 503, while /readyz was 200, `portal status`, `engine status` and both doctors were
// green, and the log had "database or disk is full" without a place: the checks only read. Since readiness exists (2026.47.0).
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createReadiness as engineReadiness } from '../../src/engine/monitoring/readiness.ts'
import { LedgerUnavailable } from '../../src/ledger/ledger-unavailable.ts'
import { openEngine, redemption } from '../engine/state/fixture.ts'
import { acceptanceRequest, openReplica } from '../ledger/fixture.ts'
import { startOperations } from '../portal/monitoring/operations.ts'
import { databases, query } from '../support/databases.ts'
import { NOW } from '../support/portal.ts'
import { skipUnless } from '../support/requirement.ts'

const MEGABYTE = 1024 * 1024
/** Readiness may be this old. */
const SECONDS = 10

/** A file system of a megabyte; undefined where this user may not mount one. */
function mountSmallDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'full-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTE}`, 'tmpfs', folder])
  const remove = () => {
    if (status === 0) spawnSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, isMounted: status === 0, remove }
}

const trial = mountSmallDisk()
trial.remove()
const skip = skipUnless(trial.isMounted, 'mounts a small file system, which needs root')

function smallDisk(t: TestContext) {
  const { folder, remove } = mountSmallDisk()
  t.after(remove)
  const filler = join(folder, 'filler')
  return {
    folder,
    /** Byte by byte at the end: nothing is left. */
    fill() {
      const file = openSync(filler, 'w')
      for (const size of [65_536, 4_096, 1]) {
        try {
          while (writeSync(file, Buffer.alloc(size)) > 0);
        } catch (error) {
          assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
        }
      }
      closeSync(file)
    },
    free: () => rmSync(filler),
  }
}

/** Until SQLite's log has used up what it has allocated. */
async function untilItFails(write: () => Promise<unknown>): Promise<string> {
  for (let number = 0; number < 2_000; number++) {
    try {
      await write()
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.fail('it never failed')
}

test('the portal: /readyz is 503 and names the folder, and 200 once there is space', { skip }, async (t) => {
  const { folder, fill, free } = smallDisk(t)
  const env = { GATEWAY_CAPTIVE_SSL_BUMP: 'off', GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${folder}/portal.db` }
  const { portal, send } = await startOperations(t, { env })
  let seconds = 0
  const later = async () => {
    seconds += SECONDS
    portal.setTime(NOW + seconds)
    const { status, body } = await send('/readyz')
    return [status, JSON.parse(body).checks.database.detail]
  }
  assert.deepEqual(await later(), [200, 'acceptances can be recorded'])
  fill()
  let number = 0
  const begin = () => portal.ledger.beginAttempt(acceptanceRequest({ reference: `verdict-${number++}` }))
  assert.equal(
    await untilItFails(begin),
    `the ledger could not record an acceptance: the disk is full (SQLite error 13): ${folder}/portal.db`,
  )
  assert.deepEqual(await later(), [
    503,
    `the ledger could not be written: the disk is full (SQLite error 13): ${folder}/portal.db`,
  ])
  free()
  assert.deepEqual(await later(), [200, 'acceptances can be recorded'])
  await begin()
})

test('the engine: the same, and decisions continue', { skip }, async (t) => {
  const { folder, fill, free } = smallDisk(t)
  let now = Date.now()
  const clock = () => now
  const state = await openEngine(t, { dialect: 'sqlite', path: join(folder, 'state.db') }, { clock })
  const readiness = engineReadiness({ opened: { state }, certificates: { folder, role: 'reader' }, clock })
  const later = async () => {
    now += SECONDS * 1_000
    return (await readiness()).checks.database
  }
  assert.deepEqual(await later(), { state: 'ok', detail: 'responds' })
  fill()
  assert.match(
    await untilItFails(() => state.redeem(redemption())),
    / could not redeem a verdict: the disk is full \(SQLite error 13\): /,
  )
  const detail = `the engine's state could not be written: the disk is full (SQLite error 13): ${folder}/state.db`
  assert.deepEqual(await later(), { state: 'failing', detail })
  assert.equal(state.isUp, true)
  free()
  assert.deepEqual(await later(), { state: 'ok', detail: 'responds' })
})

for (const { name, skip, create } of databases) {
  describe(`what readiness writes: ${name}`, { skip }, () => {
    test('leaves nothing, next to others that do the same and to an acceptance', async (t) => {
      const location = await create(t)
      const replicas = await Promise.all([openReplica(t, location), openReplica(t, location)])
      const request = acceptanceRequest({ reference: 'a-verdict-of-this-test' })
      const [first, second] = replicas
      await Promise.all([first.ping(), second.ping(), first.ping(), second.beginAttempt(request)])
      const rows = async (table: string) => (await query(location, `select jti from ${table}`)).map(({ jti }) => jti)
      assert.deepEqual([await rows('acceptance'), await rows('attempt')], [[request.reference], [request.reference]])
      const state = await openEngine(t, location)
      assert.equal(await state.writeFault(), undefined)
      assert.deepEqual(await query(location, 'select * from engine_redemption'), [])
    })

    test('at most once in ten seconds', async (t) => {
      const location = await create(t)
      let now = Date.now()
      const state = await openEngine(t, location, { clock: () => now })
      assert.equal(await state.writeFault(), undefined)
      await query(location, 'alter table engine_redemption rename to hidden')
      now += SECONDS * 1_000 - 1
      assert.equal(await state.writeFault(), undefined)
      now += 1
      assert.match(`${await state.writeFault()}`, /^the engine's state could not be written: a table /)
    })
  })
}

test('PostgreSQL: it is the disk of its server', () => {
  const cause = Object.assign(new Error('could not extend file "base/1/2": No space left on device'), { code: '53100' })
  assert.equal(
    new LedgerUnavailable('be written', cause).message,
    'the ledger could not be written: the disk of the server is full (53100)',
  )
})

test('control: a missing table was always reported', async (t) => {
  const { portal, send } = await startOperations(t, { env: { GATEWAY_CAPTIVE_SSL_BUMP: 'off' } })
  await query({ dialect: 'sqlite', path: portal.databasePath }, 'alter table acceptance rename to gone')
  assert.equal((await send('/readyz')).status, 503)
})
