// `portal acceptances prune`: prints what it would delete, and deletes after a confirmation.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { acceptanceRequest, openReplica } from '../ledger/fixture.ts'
import { databases, query } from '../support/databases.ts'
import { emptyLedger, fill } from '../support/ledgers.ts'
import { gatewayctl, gatewayctlProcess, onTerminal, skipWithoutScript } from './gatewayctl.ts'

const OLDER = ['portal', 'acceptances', 'prune', '--older-than']
const PRUNE = [...OLDER, '2025-01-01T00:01:00Z']
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const REPORT = `\
Older than 2025-01-01T00:01:00.000Z: 420 acceptances with 420 attempts.
  accepted  336
  refused    42
  unknown    42  (pending: no response of the engine was recorded)
  oldest    2025-01-01T00:00:00.000Z
  newest    2025-01-01T00:00:59.000Z
`

async function count(location: DatabaseLocation): Promise<number> {
  return (await query(location, 'select id from acceptance')).length
}

test('prints a summary; deletes with --yes; nothing is left', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  await fill(ledger, 1_400)
  const dry = await gatewayctl([...PRUNE, '--dry-run'], { ledger })
  assert.deepEqual(dry, { status: 0, stdout: REPORT, stderr: '' })
  assert.equal(await count(ledger), 1_400)
  const wet = await gatewayctl([...PRUNE, '--yes'], { ledger })
  assert.deepEqual(wet, { status: 0, stdout: `${REPORT}420 acceptances deleted.\n`, stderr: '' })
  assert.equal(await count(ledger), 980)
  const again = await gatewayctl([...PRUNE, '--yes', '--json'], { ledger })
  assert.deepEqual(JSON.parse(again.stdout), {
    older_than: '2025-01-01T00:01:00.000Z',
    acceptances: { accepted: 0, refused: 0, pending: 0 },
    total: 0,
    attempts: 0,
    oldest: null,
    newest: null,
    deleted: 0,
  })
})

test('without a terminal and without --yes: exit code 2, and nothing is deleted', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  await fill(ledger, 10)
  const { status, stdout, stderr } = await gatewayctl(PRUNE, { ledger })
  assert.deepEqual([status, stdout], [2, ''])
  assert.match(stderr, /^error: there is no terminal for the confirmation: --yes deletes without it, --dry-run only /)
  assert.equal(await count(ledger), 10)
})

test('by age: younger acceptances stay', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  const replica = await openReplica(t, ledger, Date.now)
  await replica.beginAttempt(acceptanceRequest())
  await fill(ledger, 10)
  const { stdout } = await gatewayctl([...OLDER, '1d', '--yes', '--json'], { ledger })
  const { deleted, acceptances } = JSON.parse(stdout)
  assert.deepEqual([deleted, acceptances], [10, { accepted: 8, refused: 1, pending: 1 }])
  assert.equal(await count(ledger), 1)
})

test('a fault half-way: the number deleted, and exit code 1', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  await fill(ledger, 1_200)
  await query(
    ledger,
    `create trigger fault before delete on acceptance when old.jti = 'verdict-00000000000777'
       begin select raise(abort, 'not this one'); end`,
  )
  // What it reports at the end of the process.
  const { status, stderr } = await gatewayctlProcess([...OLDER, '2d', '--yes'], { ledger })
  assert.equal(status, 1)
  assert.match(stderr, /^error: the ledger could not delete acceptances: .*\n500 acceptances had been deleted\.\n$/)
  assert.equal(await count(ledger), 700)
})

test('asked: only a yes deletes', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  await fill(ledger, 420)
  for (const line of ['n\n', '\n', 'yess\n', '', 'YES\n']) {
    const isYes = line === 'YES\n'
    const { stderr, ...ended } = await gatewayctl(PRUNE, { ledger }, { stdin: line, isTerminal: true })
    assert.deepEqual(
      ended,
      isYes ? { status: 0, stdout: `${REPORT}420 acceptances deleted.\n` } : { status: 1, stdout: REPORT },
    )
    assert.ok(stderr.startsWith('Delete 420 acceptances? [y/N] '), stderr)
    assert.equal(stderr.includes('nothing was deleted'), !isYes)
    assert.equal(await count(ledger), isYes ? 0 : 420)
  }
})

describe('asked on a terminal', { skip: skipWithoutScript }, () => {
  test('Ctrl-C is an interruption, y a yes', async (t) => {
    const ledger = await emptyLedger(t, sqlite)
    await fill(ledger, 420)
    for (const [typed, status, left] of [
      ['\u0003', 130, 420],
      ['y\r', 0, 0],
    ] as const) {
      const { status: actual, screen } = await onTerminal(PRUNE, { ledger }, { awaited: /\[y\/N\] /, typed })
      assert.equal(actual, status, screen)
      assert.ok(screen.includes(`${REPORT.replaceAll('\n', '\r\n')}Delete 420 acceptances? [y/N] `), screen)
      assert.equal(await count(ledger), left)
    }
  })

  test('Ctrl-C half-way: reports the number deleted, in complete batches', { timeout: 120_000 }, async (t) => {
    const ledger = await emptyLedger(t, sqlite)
    await fill(ledger, 30_000)
    const half = { awaited: /of 30,000 acceptances deleted/, typed: '\u0003' }
    const { status, screen } = await onTerminal([...OLDER, '2d', '--yes'], { ledger }, half)
    assert.equal(status, 130, screen)
    const [, deleted = ''] = /([\d,]+) acceptances had been deleted\.\r\n$/.exec(screen) ?? []
    const left = await count(ledger)
    assert.ok(left < 30_000 && left % 500 === 0, `${left} left`)
    // The batch in progress may have been committed.
    assert.ok([0, 500].includes(30_000 - left - Number(deleted.replace(',', ''))), `${deleted} deleted, ${left} left`)
    assert.equal((await query(ledger, 'select id from attempt')).length, left)
  })
})
