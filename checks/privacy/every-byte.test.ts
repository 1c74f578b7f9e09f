// A deleted person in every byte of the files: of the engine's state and journal and of the ledger, of their write-ahead logs and
// shared memory, after thousands of rows of many sizes have split, merged and rebalanced the pages that had her.
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../src/database/database.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { stateOf, stop } from '../../test/engine/journal/fixture.ts'
import { API_TOKEN, NOW, policy, startEngine } from '../../test/engine/running-engine.ts'
import { databaseUrl, gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { acceptanceRequest } from '../../test/ledger/fixture.ts'
import { rule } from '../../test/support/rules.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

/** Nothing else has these bytes. */
const [USER, ADDRESS] = ['wilhelmina-zx81', '198.51.100.211']
const OTHERS = 30_000
const HERS = 3_000
const DAY = 86_400

const POLICY = policy(
  `${rule('games', 'block', 'match = ["games.example"]')}
  ${rule('lab', 'aup', 'match = ["lab.example"]')}`,
  'journal = { days = 14, person_days = 3 }',
)

/** Where one of the texts is in one of the files. */
function placesOf(paths: readonly string[], texts: readonly string[]): readonly string[] {
  return paths
    .flatMap((path) => [path, `${path}-wal`, `${path}-shm`])
    .filter(existsSync)
    .flatMap((path) => {
      const bytes = readFileSync(path)
      return texts.flatMap((text) => {
        const at = bytes.indexOf(text)
        return at === -1 ? [] : [`${path} has ${text} at byte ${at}`]
      })
    })
}

const someName = () => randomBytes(randomInt(3, 60)).toString('base64url')
const someAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`

/** Rows of hers among those of others, in the order of chance, and some of the others deleted again. */
async function fillState(location: DatabaseLocation): Promise<void> {
  const db = connect(location, { milliseconds: 60_000 })
  const end = (NOW + DAY) * 1000
  for (let at = 0; at < OTHERS + HERS; at += 500) {
    await db.transaction().execute(async (transaction) => {
      for (let row = 0; row < 500; row++) {
        const isHers = randomInt(OTHERS + HERS) < HERS
        const [user, address] = isHers ? [USER, ADDRESS] : [someName(), someAddress()]
        const holder = randomInt(2) === 0 ? `user ${user}` : `client ${address}`
        const values = [holder, someName(), address, someName(), NOW * 1000, end]
        await sql`insert or ignore into engine_session (holder, rule_name, client_address, reference, started_at, expires_at)
          values (${sql.join(values)})`.execute(transaction)
        const event = [randomBytes(16).toString('hex'), NOW * 1000, 'acknowledgement', someName(), address, user]
        await sql`insert into engine_event (id, at, event, reference, client, user_name) values (${sql.join(event)})`.execute(
          transaction,
        )
      }
      await sql`delete from engine_event where substr(id, 1, 1) in ('0', '7') and user_name <> ${USER}`.execute(
        transaction,
      )
      await sql`delete from engine_session where substr(holder, 6, 1) in ('a', 'b', 'c') and client_address <> ${ADDRESS}`.execute(
        transaction,
      )
    })
  }
  await db.destroy()
}

test('neither her name nor her address nor her pseudonyms are in any byte', async (t) => {
  const folder = temporaryFolder(t)
  const journal: DatabaseLocation = { dialect: 'sqlite', path: join(folder, 'journal.db') }
  const ledger: DatabaseLocation = { dialect: 'sqlite', path: join(folder, 'portal.db') }
  const location = stateOf(journal)
  const engine = await startEngine(t, POLICY, { location, journal })
  await fillState(location)
  for (let at = 0; at < OTHERS + HERS; at++) {
    const isHers = randomInt(OTHERS + HERS) < HERS
    // The older ones become pseudonyms.
    const time = (NOW - randomInt(10) * DAY) * 1000 + at
    const [user, client] = isHers ? [USER, ADDRESS] : [someName(), someAddress()]
    engine.journal?.add(
      stop({ at: time, user, client, url: `https://${someName().toLowerCase()}.example/`.replaceAll('_', 'x') }),
    )
    if (at % 5_000 === 4_999) {
      await engine.journal?.flush()
      await engine.journal?.retain()
    }
  }
  await engine.journal?.flush()
  const portal = await openLedger(ledger, { clock: () => NOW * 1000, migrate: true })
  for (let at = 0; at < 2_000; at++) {
    const isHers = at % 7 === 0
    const clientAddress = isHers ? ADDRESS : someAddress()
    await portal.beginAttempt(acceptanceRequest({ clientAddress, ruleName: someName() }))
  }
  const files = [location.dialect === 'sqlite' ? location.path : '', journal.path, ledger.path]
  const shown = await call(engine, 'show', { user: USER, limit: 1000 })
  const pseudonyms = new Set(
    (shown.stops as { client: string; user: string }[]).flatMap(({ client, user }) => [client, user]),
  )
  const texts = [...new Set([USER, ADDRESS, ...pseudonyms])]
  assert.ok(placesOf(files, [USER]).length >= 2 && placesOf(files, [ADDRESS]).length >= 3, 'control: they were there')

  const urlFile = join(folder, 'url')
  const tokenFile = join(folder, 'token')
  writeFileSync(urlFile, databaseUrl(ledger))
  writeFileSync(tokenFile, API_TOKEN)
  const options = [
    ...['--engine', `https://127.0.0.1:${engine.port}`, '--token-file', tokenFile],
    ...['--ca-file', join(engine.folder, 'ca', 'ca.crt'), '--database-url-file', urlFile],
  ]
  for (const whom of [
    ['--user', USER],
    ['--client', ADDRESS],
  ]) {
    const { status, stderr } = await gatewayctl(
      ['privacy', 'delete', ...whom, '--by', 'a check', '--yes', '--attempts', ...options],
      { clock: () => NOW * 1000 },
    )
    assert.equal(status, 0, stderr)
  }
  assert.deepEqual(placesOf(files, texts), [])
  await portal.close()
})

async function call(engine: Awaited<ReturnType<typeof startEngine>>, name: string, body: object) {
  return (await engine.administer(`privacy/${name}`, body)).json
}
