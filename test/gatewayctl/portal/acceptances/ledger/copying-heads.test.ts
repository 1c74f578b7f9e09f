// Copying a ledger's evidence: each portal's chain stays, and a copy, a merge or a prune in between looks like no tampering.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openCopier } from '../../../../../src/gatewayctl/portal/acceptances/ledger/copying.ts'
import { openPruner } from '../../../../../src/gatewayctl/portal/acceptances/ledger/pruning.ts'
import type { DatabaseLocation } from '../../../../../src/settings/sections/database.ts'
import { NOW, newReference } from '../../../../ledger/fixture.ts'
import { found, HOUR, MINUTE, type Portal, startPortal, verified } from '../../../../ledger/heads/fixture.ts'
import { databases, query } from '../../../../support/databases.ts'

const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? assert.fail()

async function copy(from: DatabaseLocation, to: DatabaseLocation, time = NOW): Promise<void> {
  const copier = await openCopier(from, to, () => time)
  for await (const _ of copier.copy());
  assert.deepEqual((await copier.verify()).differing, [])
  await copier.close()
}

async function prune(location: DatabaseLocation, before: number): Promise<void> {
  const pruner = await openPruner(location, () => before + 48 * HOUR)
  for await (const _ of pruner.prune(new Date(before).toISOString()));
  await pruner.close()
}

async function work(portal: Portal, hours = 2): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    for (const outcome of [302, 403, undefined]) await portal.record(outcome)
    await portal.append()
    portal.time += HOUR
  }
}

async function two(t: TestContext, [source, destination]: readonly (typeof databases)[number][]) {
  const from = (await source?.create(t)) ?? assert.fail()
  const to = (await destination?.create(t)) ?? assert.fail()
  return { from, to, portal: await startPortal(t, from) }
}

for (const pair of [
  [sqlite, postgres],
  [postgres, sqlite],
] as const) {
  const [source, destination] = pair
  const skip = source.skip || destination.skip
  const way = `from ${pair[0].name} to ${pair[1].name}`

  test(`${way}: a copy verifies, also one of a ledger that grows, and against the heads of the source`, {
    skip,
  }, async (t) => {
    const { from, to, portal } = await two(t, pair)
    await work(portal)
    await portal.record(302)
    await copy(from, to)
    assert.deepEqual((await verified(to)).findings, [])
    await work(portal)
    const heads = await portal.append()
    await copy(from, to)
    const { attempts, uncovered, findings } = await verified(to, heads)
    assert.deepEqual([attempts, uncovered, findings], [9, 4, []])
    assert.deepEqual(await query(to, 'select * from ledger_entry'), [])
    await query(to, `update attempt set locale = 'xx' where engine_status = 403`)
    assert.equal((await verified(to, heads)).first?.problem, 'changed')
  })

  test(`${way}: so does a copy of a ledger that grew while it was compared`, { skip }, async (t) => {
    const { from, to, portal } = await two(t, pair)
    await work(portal)
    const copier = await openCopier(from, to, () => portal.time)
    t.after(() => copier.close())
    for await (const _ of copier.copy());
    await work(portal)
    assert.deepEqual((await copier.verify()).differing, [])
    assert.deepEqual((await verified(to)).findings, [])
    const heads = await portal.append()
    await copy(from, to, portal.time)
    assert.deepEqual((await verified(to, heads)).findings, [])
  })

  test(`${way}: pruned in the source, in the copy, and copied again`, { skip }, async (t) => {
    const { from, to, portal } = await two(t, pair)
    await work(portal)
    await copy(from, to)
    await prune(from, NOW + HOUR)
    await portal.append()
    await copy(from, to)
    const kept = await verified(to)
    assert.deepEqual([kept.deletions, kept.deleted, found(kept)], [1, 0, []])
    await prune(to, NOW + HOUR)
    assert.deepEqual([(await verified(to)).deleted, found(await verified(to))], [2, []])
    // The other way round: what was deleted here comes back.
    await prune(to, NOW + 2 * HOUR)
    await copy(from, to)
    const again = await verified(to)
    assert.deepEqual([again.deletions, again.deleted, found(again)], [3, 2, []])
    assert.deepEqual(found(await verified(from)), [])
  })
}

// Both ways in one test, or the same whichever way.
const pair = [sqlite, postgres]
const skip = postgres.skip

test('a portal goes on in the copy', { skip }, async (t) => {
  const { from, to, portal } = await two(t, pair)
  await work(portal)
  await portal.record(302)
  await copy(from, to)
  const next = await startPortal(t, to, { time: portal.time + MINUTE })
  await work(next)
  assert.deepEqual((await verified(to)).findings, [])
  assert.equal((await verified(to)).attempts, 9)
})

test("two portals' ledgers are merged, with one verdict in both", { skip }, async (t) => {
  const { from, to, portal } = await two(t, pair)
  const other = await startPortal(t, to, { time: NOW + MINUTE })
  const reference = newReference()
  const second = newReference()
  await portal.record(403, { reference })
  await other.record(302, { reference, portalVersion: '2026.50.0-IR' })
  await other.record(403, { reference: second })
  portal.time += 5 * MINUTE
  await portal.record(302, { reference: second, portalVersion: '2026.50.0-IR' })
  await Promise.all([work(portal), work(other)])
  await copy(from, to)
  const merged = await verified(to)
  assert.deepEqual([merged.portals, found(merged)], [2, []])
  await copy(to, from)
  assert.deepEqual(found(await verified(from)), [])
  await work(other)
  assert.deepEqual(found(await verified(to)), [])
  await query(to, `update acceptance set portal_version = '2026.51.0-IR' where jti = '${reference}'`)
  assert.ok((await verified(to)).total > 0)
})

test('older attempts that no head covers get leaves of the copy', { skip }, async (t) => {
  const { from, to, portal } = await two(t, pair)
  for (const outcome of [302, 403, undefined]) await portal.record(outcome)
  const other = await startPortal(t, to, { time: NOW + 3 * HOUR })
  await work(other)
  await copy(from, to, other.time)
  await copy(from, to, other.time)
  const merged = await verified(to)
  assert.deepEqual([merged.copies, merged.uncovered, found(merged)], [1, 3, []])
  await work(other)
  assert.deepEqual(found(await verified(to)), [])
  const [entry] = await query(to, 'select id, attempts from ledger_entry')
  assert.equal(entry?.attempts, 2)
  await query(
    to,
    `update attempt set locale = 'xx' where id = (select attempt_id from ledger_leaf where portal = '${entry?.id}' and position = 1)`,
  )
  assert.equal((await verified(to)).first?.problem, 'changed')
})
