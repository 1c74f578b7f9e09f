// `portal acceptances copy`: from SQLite to a real PostgreSQL, interrupted and repeated, and rejected arguments.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { databaseUrl, ended, gatewayctl, startGatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { databases, query } from '../../test/support/databases.ts'
import { emptyLedger, fill } from '../../test/support/ledgers.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

const COPY = ['portal', 'acceptances', 'copy']
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? assert.fail()

test('to PostgreSQL: killed half-way, repeated, and both are equal', {
  skip: postgres.skip,
}, async (t) => {
  const [from, to] = [await emptyLedger(t, sqlite), await postgres.create(t)]
  await fill(from, 20_000)
  const file = join(temporaryFolder(t), 'new-url')
  writeFileSync(file, `${databaseUrl(to)}\n`, { mode: 0o600 })
  const words = [...COPY, '--to-database-url-file', file]
  const count = async () => {
    const [row] = await query(to, 'select count(*) as count from acceptance').catch(() => [])
    return Number(row?.count ?? 0)
  }

  const first = startGatewayctl(words, { ledger: from })
  const end = ended(first)
  await until(async () => (await count()) > 0)
  first.kill('SIGKILL')
  assert.equal((await end).status, null)
  const halfWay = await count()
  assert.ok(halfWay > 0 && halfWay < 20_000 && halfWay % 500 === 0, `${halfWay}`)

  const again = await gatewayctl(words, { ledger: from })
  assert.equal(again.status, 0, again.stderr)
  const [, sum] = /^source {7}SHA-256 ([0-9a-f]{64})$/m.exec(again.stdout) ?? []
  const rest = (20_000 - halfWay).toLocaleString('en')
  assert.equal(
    again.stdout,
    `\
copied       ${rest} acceptances, 0 completed
compared     20,000 acceptances, 20,000 attempts, 0 texts
source       SHA-256 ${sum}
destination  SHA-256 ${sum}
`,
  )

  await query(to, `update acceptance set rule_name = 'another' where jti = 'verdict-00000000000007'`)
  const altered = await gatewayctl([...words, '--json'], { ledger: from })
  assert.equal(altered.status, 1)
  const { whole, differing } = JSON.parse(altered.stdout)
  assert.deepEqual([whole, differing], [false, ['verdict-00000000000007']])
  assert.match(altered.stderr, /^error: 1 acceptances differ in the destination: verdict-00000000000007\.\n/)
})

test('a copy keeps what was pruned from the source, and counts it', async (t) => {
  const [from, to] = [await emptyLedger(t, sqlite), await emptyLedger(t, sqlite)]
  await fill(from, 12)
  const words = [...COPY, '--to-database-url', databaseUrl(to)]
  const first = await gatewayctl(words, { ledger: from })
  assert.deepEqual([first.status, first.stdout.includes('only in destination')], [0, false])
  await query(from, `delete from attempt where jti in (select jti from acceptance order by requested_at limit 5)`)
  await query(from, `delete from acceptance where jti in (select jti from acceptance order by requested_at limit 5)`)
  const again = await gatewayctl(words, { ledger: from })
  assert.match(
    again.stdout,
    /^copied {7}0 acceptances, 0 completed\ncompared {5}7 acceptances, 7 attempts, [\s\S]*\nonly in destination: 5\n$/,
  )
  assert.equal(again.status, 0)
  const { stdout } = await gatewayctl([...words, '--json'], { ledger: from })
  assert.deepEqual([JSON.parse(stdout).whole, JSON.parse(stdout).onlyInDestination], [true, 5])
})

test('rejects no destination, the source, one in memory, and an unreachable one', async (t) => {
  const from = await emptyLedger(t, sqlite)
  const to = (url: string) => gatewayctl([...COPY, '--to-database-url', url], { ledger: from })
  const refused = await Promise.all([
    gatewayctl(COPY, { ledger: from }),
    to(databaseUrl(from)),
    to('sqlite://'),
    to('mysql://user:hunter2hunter2@db/x'),
    to('postgresql://user:hunter2hunter2@127.0.0.1:1/portal'),
  ])
  assert.deepEqual(
    refused.map(({ status }) => status),
    [2, 2, 2, 2, 1],
  )
  const said = refused.map(({ stderr }) => stderr)
  assert.match(`${said[0]}`, /--to-database-url-file must name a file/)
  assert.match(`${said[1]}`, /the same database/)
  assert.match(`${said[2]}`, /would be lost with this process/)
  assert.match(`${said[3]}`, / {2}--to-database-url must be sqlite/)
  assert.match(`${said[4]}`, /the ledger could not be opened: .*ECONNREFUSED/)
  assert.doesNotMatch(said.join(''), /hunter2/)
})
