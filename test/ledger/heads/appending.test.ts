// Heads are appended in one transaction with their leaves, and cover each completed attempt once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openPruner } from '../../../src/gatewayctl/portal/acceptances/ledger/pruning.ts'
import { headHash, isSigned } from '../../../src/ledger/heads/head.ts'
import { databases, query } from '../../support/databases.ts'
import { emptyLedger, fill } from '../../support/ledgers.ts'
import { assertUnavailable, lockOut, NOW, raiseFault, storedAttempts } from '../fixture.ts'
import { found, HOUR, MINUTE, startPortal, verified } from './fixture.ts'

const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()

for (const database of databases) {
  describe(`heads, ${database.name}`, { skip: database.skip }, () => {
    test('two portals at once: every attempt has one leaf; a restart starts a chain that names the last head', async (t) => {
      const location = await database.create(t)
      const portals = [await startPortal(t, location), await startPortal(t, location)]
      const [one, other] = portals
      assert.ok(one && other)
      for (let round = 0; round < 4; round++) {
        await Promise.all(portals.flatMap((portal) => [1, 2, 3].map(() => portal.record(302))))
        for (const portal of portals) portal.time = NOW + (round + 1) * HOUR
        await Promise.all(portals.map((portal) => portal.append()))
      }
      const leaves = await query(location, 'select attempt_id from ledger_leaf')
      assert.equal(leaves.length, 24)
      assert.equal(new Set(leaves.map(({ attempt_id }) => attempt_id)).size, 24)
      const restarted = await startPortal(t, location, { time: one.time + MINUTE })
      await restarted.record(302)
      const [head] = await restarted.append()
      assert.equal(head?.number, 1)
      assert.ok(head?.previous)
      const { portals: chains, heads, findings } = await verified(location)
      assert.deepEqual([chains, heads, findings], [3, 9, []])
    })

    test('a ledger of an older version is covered in steps, also one of 2026.47', async (t) => {
      const location = await emptyLedger(t, database)
      await fill(location, 1_203)
      const portal = await startPortal(t, location)
      const heads = await portal.append()
      assert.deepEqual(
        heads.map(({ size }) => size),
        [500, 500, 203],
      )
      assert.deepEqual(
        heads.map(({ until }) => until === null),
        [true, true, false],
      )
      const { findings, attempts, uncovered } = await verified(location)
      // `fill` names texts that it does not store.
      assert.ok(
        findings.every(({ what }) => what === 'text'),
        JSON.stringify(findings),
      )
      assert.deepEqual([attempts, uncovered], [1_203, 0])
      // What is covered is skipped, a page at a time.
      const restarted = await startPortal(t, location)
      await query(location, 'update ledger_head set until = null')
      assert.deepEqual(
        (await restarted.append()).map(({ size }) => size),
        [0],
      )
    })

    test('a fault: nothing is appended, and the next one covers it', async (t) => {
      const location = await database.create(t)
      const portal = await startPortal(t, location)
      await portal.record(302)
      const end = await raiseFault(location, 'insert', 'ledger_leaf')
      await assertUnavailable(portal.ledger.appendHead(portal.signer))
      assert.deepEqual(await query(location, 'select * from ledger_head'), [])
      await end()
      const unlock = await lockOut(location)
      await assertUnavailable(portal.ledger.appendHead(portal.signer))
      await unlock()
      assert.deepEqual(
        (await portal.append()).map(({ number, size }) => [number, size]),
        [[1, 1]],
      )
    })

    test('a prune keeps the hash, deletes what leads to a person, and is covered by the next head', async (t) => {
      const location = await database.create(t)
      const portal = await startPortal(t, location)
      for (let number = 0; number < 5; number++) await portal.record(302, { clientAddress: '192.0.2.7' })
      const exported = [...(await portal.append())]
      portal.time += 48 * HOUR
      await portal.record(302)
      exported.push(...(await portal.append()))
      const pruner = await openPruner(location, () => portal.time)
      for await (const deleted of pruner.prune(new Date(NOW + HOUR).toISOString())) assert.equal(deleted, 5)
      await pruner.close()
      const pruned = await query(location, 'select attempt_id, salt, hash from ledger_leaf where attempt_id is null')
      assert.equal(pruned.length, 5)
      assert.ok(pruned.every(({ salt, hash }) => salt === null && typeof hash === 'string'))
      const before = await verified(location, exported)
      assert.deepEqual([before.deleted, before.deletions, found(before)], [5, 1, []])
      portal.time += HOUR
      const [head] = await portal.append()
      assert.equal(head?.size, 1)
      assert.deepEqual(found(await verified(location, exported)), [])

      await query(location, `update ledger_entry set leaves = replace(leaves, '0-4', '0-3')`)
      const changed = found(await verified(location, exported))
      assert.deepEqual(changed, [`leaf removed ${exported[0]?.portal}/1/4`, `entry changed ${head?.portal}/3/0`])
    })
  })
}

describe('heads, whichever the database', () => {
  test('each covers what was completed since, and names the one before', async (t) => {
    const location = await sqlite.create(t)
    const portal = await startPortal(t, location)
    await portal.record(302)
    await portal.record(403)
    await portal.record(undefined)
    const [first] = await portal.append()
    portal.time += HOUR
    await portal.record(302)
    const [second] = await portal.append()
    portal.time += HOUR
    const [third] = await portal.append()
    assert.ok(first && second && third)
    assert.deepEqual([first.size, second.size, third.size], [2, 1, 0])
    assert.deepEqual([first.number, second.number, third.number], [1, 2, 3])
    assert.deepEqual([first.previous, second.previous, third.previous], [null, headHash(first), headHash(second)])
    assert.equal(third.root, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    assert.equal(third.until, new Date(portal.time).toISOString())
    for (const head of [first, second, third]) assert.ok(isSigned(head))
    assert.ok(!isSigned({ ...second, size: 2 }))
    const { uncovered, attempts, total } = await verified(location, [first, second, third])
    assert.deepEqual([uncovered, attempts, total], [1, 3, 0])
  })

  test('an attempt without an answer is covered after a day, and is not completed after half of one', async (t) => {
    const location = await sqlite.create(t)
    const portal = await startPortal(t, location)
    const reference = 'a'.repeat(22)
    const attempt = await portal.record(undefined, { reference })
    portal.time += 23 * HOUR
    assert.equal((await portal.append())[0]?.size, 0)
    portal.time += 2 * HOUR
    assert.equal((await portal.append())[0]?.size, 1)
    await portal.ledger.completeAttempt(attempt, 302)
    assert.equal((await storedAttempts(location, reference))[0]?.answered_at, null)
    assert.deepEqual(found(await verified(location)), [])
    await query(location, `update attempt set answered_at = asked_at, engine_status = 302`)
    assert.equal(found(await verified(location))[0], `attempt changed ${attempt.id}`)
  })

  test('a backdated attempt that a head covers is named, and one that no head covers', async (t) => {
    const location = await sqlite.create(t)
    const portal = await startPortal(t, location)
    await portal.append()
    portal.time += 3 * HOUR
    await portal.append()
    const late = await startPortal(t, location, { time: NOW + HOUR })
    const covered = await late.record(302)
    late.time = NOW - 200 * HOUR
    const older = await late.record(302)
    portal.time += HOUR
    assert.equal((await portal.append())[0]?.size, 1)
    assert.deepEqual(found(await verified(location)), [
      `attempt inserted ${covered.id}`,
      `attempt inserted ${older.id}`,
    ])
  })

  for (const [name, ahead] of [
    ['half an hour', 30 * MINUTE],
    ['years', 90_000 * HOUR],
  ] as const) {
    test(`a clock that was ${name} fast, and is right again, makes nothing look inserted, and hides nothing`, async (t) => {
      const location = await sqlite.create(t)
      let passed = 0
      const portal = await startPortal(t, location, { monotonic: () => passed })
      const pass = (milliseconds: number) => {
        portal.time += milliseconds
        passed += milliseconds
      }
      await portal.record(302)
      const exported = [...(await portal.append())]
      pass(HOUR)
      portal.time += ahead
      await portal.record(302)
      exported.push(...(await portal.append()))
      portal.time -= ahead
      pass(2 * MINUTE)
      await portal.record(302)
      pass(58 * MINUTE)
      await portal.record(302)
      const back = await portal.append()
      assert.deepEqual(
        back.map(({ size, until }) => [size, until]),
        [
          [0, exported[0]?.until],
          [2, new Date(portal.time).toISOString()],
        ],
      )
      exported.push(...back)
      const { findings, coveredUntil, uncovered } = await verified(location, exported)
      assert.deepEqual([findings, coveredUntil, uncovered], [[], back[1]?.until, 0])

      const forger = await startPortal(t, location, { time: NOW - 20 * MINUTE })
      const early = await forger.record(302)
      await portal.append()
      forger.time = portal.time - 2 * HOUR
      const uncoveredOne = await forger.record(302)
      assert.deepEqual(found(await verified(location, exported)), [
        `attempt inserted ${early.id}`,
        `attempt inserted ${uncoveredOne.id}`,
      ])
    })
  }

  test('a portal that starts after one with a fast clock does not continue its claim', async (t) => {
    const location = await sqlite.create(t)
    const fast = await startPortal(t, location, { time: NOW + 90_000 * HOUR })
    await fast.record(302)
    await fast.append()
    const portal = await startPortal(t, location)
    await portal.record(302)
    portal.time += HOUR
    const heads = await portal.append()
    assert.deepEqual(
      heads.map(({ size, until }) => [size, until]),
      [
        [0, null],
        [1, new Date(portal.time).toISOString()],
      ],
    )
    assert.deepEqual(found(await verified(location)), [])
  })

  test('a head by another key is refused: in a chain, and in a chain of its own', async (t) => {
    const location = await sqlite.create(t)
    const portal = await startPortal(t, location)
    await portal.record(302)
    const exported = await portal.append()
    const forger = await startPortal(t, location, { secret: 'x'.repeat(40), time: portal.time })
    await forger.append()
    const name = `${forger.signer.portal}/1`
    assert.deepEqual(found(await verified(location, exported)), [`head inserted ${name}`])
    // Nothing but an exported head tells which key is right.
    assert.deepEqual(found(await verified(location)), [])
    await query(
      location,
      `update ledger_head set portal = '${portal.signer.portal}', number = 2 where portal = '${forger.signer.portal}'`,
    )
    assert.ok(found(await verified(location)).includes(`head inserted ${portal.signer.portal}/2`))
  })

  test('removed heads: in the middle of a chain; at its end, by the exported ones', async (t) => {
    const location = await sqlite.create(t)
    const portal = await startPortal(t, location)
    const exported = []
    for (let number = 0; number < 4; number++) {
      await portal.record(302)
      exported.push(...(await portal.append()))
      portal.time += HOUR
    }
    const { portal: id } = portal.signer
    await query(location, `delete from ledger_head where number = 4`)
    await query(location, `delete from ledger_leaf where head = 4`)
    assert.deepEqual(found(await verified(location)), [])
    const [removed, ...others] = found(await verified(location, exported))
    assert.equal(removed, `head removed ${id}/4`)
    assert.deepEqual(others, [`leaf removed ${id}/4/0`])
    await query(location, `delete from ledger_head where number = 2`)
    assert.ok(found(await verified(location)).includes(`head removed ${id}/3`))
  })
})
