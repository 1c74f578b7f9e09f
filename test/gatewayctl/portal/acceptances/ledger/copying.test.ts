// Copying a ledger from one database to another: complete, repeatable, and safe with concurrent writes.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { openCopier, type Verification } from '../../../../../src/gatewayctl/portal/acceptances/ledger/copying.ts'
import type { DatabaseLocation } from '../../../../../src/settings/sections/database.ts'
import { acceptanceRequest, NOW, openReplica } from '../../../../ledger/fixture.ts'
import { databases, query } from '../../../../support/databases.ts'
import { emptyLedger, fill } from '../../../../support/ledgers.ts'

const TEXT = 'Règles « de la maison » \u{1f6d1}\n'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const clock = () => NOW

const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? assert.fail()

async function copied(from: DatabaseLocation, to: DatabaseLocation) {
  const copier = await openCopier(from, to, clock)
  try {
    let [added, completed] = [0, 0]
    for await (const batch of copier.copy()) {
      added += batch.added
      completed += batch.completed
    }
    return { added, completed, found: await copier.verify() }
  } finally {
    await copier.close()
  }
}

const tables = ['acceptance', 'attempt', 'document']
/** All rows, in an order that does not depend on the collation. */
async function contents(location: DatabaseLocation): Promise<string[][]> {
  const all = await Promise.all(tables.map((table) => query(location, `select * from ${table}`)))
  return all.map((rows) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort())
}

async function keepText(t: TestContext, location: DatabaseLocation): Promise<void> {
  const ledger = await openReplica(t, location)
  await ledger.keepDocument({ sha256: sha256(TEXT), text: TEXT, mediaType: 'text/markdown', locale: 'fr' })
}

const isWhole = ({ differing, alteredDocuments }: Verification) =>
  differing.length === 0 && alteredDocuments.length === 0

for (const [source, destination] of [
  [sqlite, postgres],
  [postgres, sqlite],
] as const) {
  const [skip, way] = [source.skip || destination.skip, `from ${source.name} to ${destination.name}`]
  test(`${way}: copies everything, and a second run changes nothing`, { skip }, async (t) => {
    const [from, to] = [await emptyLedger(t, source), await destination.create(t)]
    await fill(from, 1_203)
    await keepText(t, from)
    const first = await copied(from, to)
    assert.deepEqual([first.added, first.completed], [1_203, 0])
    assert.deepEqual([first.found.acceptances, first.found.attempts, first.found.documents], [1_203, 1_203, 1])
    assert.ok(isWhole(first.found))
    assert.equal(first.found.sha256.source, first.found.sha256.destination)
    assert.deepEqual(await contents(to), await contents(from))

    const second = await copied(from, to)
    assert.deepEqual([second.added, second.completed], [0, 0])
    assert.deepEqual(second.found, first.found)
  })

  test(`${way}: updates acceptances that were decided in between`, { skip }, async (t) => {
    const [from, to] = [await emptyLedger(t, source), await destination.create(t)]
    const ledger = await openReplica(t, from)
    const [answeredLater, triedAgain, untouched] = ['a', 'b', 'c'].map((letter) => letter.repeat(22))
    const begin = (reference = '') => ledger.beginAttempt(acceptanceRequest({ reference }))
    const late = await begin(answeredLater)
    await ledger.completeAttempt(await begin(triedAgain), 403)
    await ledger.completeAttempt(await begin(untouched), 302)
    assert.ok(isWhole((await copied(from, to)).found))

    await ledger.completeAttempt(late, 302)
    await ledger.completeAttempt(await begin(triedAgain), 302)
    const again = await copied(from, to)
    assert.deepEqual([again.added, again.completed], [0, 2])
    assert.ok(isWhole(again.found))
    assert.deepEqual(await contents(to), await contents(from))
  })

  test(`${way}: what a portal records and answers during the copy is no difference`, { skip }, async (t) => {
    const [from, to] = [await emptyLedger(t, source), await destination.create(t)]
    const ledger = await openReplica(t, from)
    const [answered, recorded, tried] = ['a', 'b', 'c'].map((letter) => letter.repeat(22))
    const begin = (reference = '') => ledger.beginAttempt(acceptanceRequest({ reference }))
    const late = await begin(answered)
    await ledger.completeAttempt(await begin(tried), 403)
    const copier = await openCopier(from, to, clock)
    t.after(() => copier.close())
    for await (const _ of copier.copy());
    await ledger.completeAttempt(late, 302)
    await keepText(t, from)
    await ledger.completeAttempt(await begin(recorded), 302)
    await ledger.completeAttempt(await begin(tried), 302)
    const found = await copier.verify()
    assert.deepEqual([found.acceptances, found.attempts, found.documents], [3, 4, 1])
    assert.ok(isWhole(found), JSON.stringify(found))
    assert.equal(found.sha256.source, found.sha256.destination)
    assert.deepEqual(await contents(to), await contents(from))
  })

  test(`${way}: keeps the attempts of both ledgers for one verdict`, { skip }, async (t) => {
    const [from, to] = [await emptyLedger(t, source), await emptyLedger(t, destination)]
    const [older, newer] = [await openReplica(t, from), await openReplica(t, to, () => NOW + 60_000)]
    const request = acceptanceRequest()
    await older.completeAttempt(await older.beginAttempt(request), 403)
    await newer.completeAttempt(await newer.beginAttempt({ ...request, locale: 'it' }), 302)
    const { completed, found } = await copied(from, to)
    assert.equal(completed, 1)
    assert.ok(isWhole(found))
    const [record] = await query(to, 'select state, attempts, locale, requested_at, decided_at from acceptance')
    assert.deepEqual(record, {
      state: 'accepted',
      attempts: 2,
      // The accepted attempt is in the other ledger.
      locale: 'it',
      requested_at: new Date(NOW).toISOString(),
      decided_at: new Date(NOW + 60_000).toISOString(),
    })
    assert.equal((await query(to, 'select id from attempt')).length, 2)
    assert.equal((await copied(from, to)).completed, 0)
  })

  test(`${way}: reports altered records without changing them`, { skip }, async (t) => {
    const [from, to] = [await emptyLedger(t, source), await destination.create(t)]
    await fill(from, 10)
    await keepText(t, from)
    await copied(from, to)
    await query(to, `update acceptance set locale = 'it' where jti = 'verdict-00000000000003'`)
    await query(to, `update attempt set engine_status = 302 where jti = 'verdict-00000000000008'`)
    await query(to, `update document set text = 'something else'`)
    const altered = await contents(to)
    const { added, completed, found } = await copied(from, to)
    assert.deepEqual([added, completed], [0, 0])
    assert.deepEqual(found.differing, ['verdict-00000000000003', 'verdict-00000000000008'])
    assert.deepEqual(found.alteredDocuments, [sha256(TEXT)])
    assert.deepEqual(await contents(to), altered)
  })
}
