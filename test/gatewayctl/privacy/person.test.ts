// `privacy show`, `export`, `delete` and `retention` against a running engine and a ledger.
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { stateOf } from '../../engine/journal/fixture.ts'
import { API_TOKEN, policy, startEngine } from '../../engine/running-engine.ts'
import { acceptanceRequest, openReplica } from '../../ledger/fixture.ts'
import { type Cleanup, inReverse } from '../../support/cleanup.ts'
import { databases, query, type TestDatabase } from '../../support/databases.ts'
import { rule } from '../../support/rules.ts'
import { databaseUrl, gatewayctl } from '../gatewayctl.ts'

const POLICY = policy(
  `${rule('games', 'block', 'match = ["games.example"]')}
  ${rule('lab', 'aup', 'match = ["lab.example"]')}`,
  'journal = { days = 14, person_days = 3 }',
)
const [HERS, OTHERS] = ['198.51.100.7', '203.0.113.9']
const BY = ['--by', 'Ms Rossi']

/** An engine and a ledger in these databases. */
async function start(t: Cleanup, database: TestDatabase) {
  const journal = await database.create(t)
  const engine = await startEngine(t, POLICY, { location: stateOf(journal), journal })
  const ledger = await database.create(t)
  const portal = await openReplica(t, ledger, Date.now)
  /** A stop and an acceptance. */
  const live = async (user: string, client: string, clientAddress?: string) => {
    await engine.decide('https://games.example/', client, user)
    const { json } = await engine.decide('https://lab.example/', client, user)
    const request = acceptanceRequest({ reference: String(json.reference), clientAddress })
    await portal.beginAttempt(request)
    await engine.acknowledge(new URL(String(json.redirect)).search.slice(1))
    return request.reference
  }
  const [tokenFile, urlFile] = [join(engine.folder, 'token'), join(engine.folder, 'url')]
  writeFileSync(tokenFile, API_TOKEN)
  writeFileSync(urlFile, databaseUrl(ledger))
  const engineOptions = [
    ...['--engine', `https://127.0.0.1:${engine.port}`, '--token-file', tokenFile],
    ...['--ca-file', join(engine.folder, 'ca', 'ca.crt')],
  ]
  const options = [...engineOptions, '--database-url-file', urlFile]
  const run = (...args: string[]) => gatewayctl(['privacy', ...args, ...options])
  return { engine, ledger, journal, live, run, engineOptions, urlFile }
}
const acceptances = async (ledger: Parameters<typeof query>[0]) =>
  (await query(ledger, 'select jti from acceptance')).map(({ jti }) => jti)

for (const database of databases) {
  test(`delete, ${database.name}: --dry-run deletes nothing; then ledger and engine, and nobody else; retention names the databases`, {
    skip: database.skip,
  }, async (t) => {
    const { live, run, ledger, journal } = await start(t, database)
    await live('anna', HERS)
    const others = await live('ben', OTHERS)
    const dry = await run('delete', '--user', 'anna', '--dry-run')
    assert.deepEqual([dry.status, (await acceptances(ledger)).length], [0, 2])
    assert.match(dry.stdout, /Nothing was deleted\./)
    const { status, stdout, stderr } = await run('delete', '--user', 'anna', ...BY, '--yes')
    assert.equal(status, 0, stderr)
    assert.match(stdout, /rows were deleted, 1 of them acceptances\./)
    assert.match(
      stdout,
      /Kept until .*, against repetition: the references of 1 redeemed verdicts, which name nobody\./,
    )
    assert.deepEqual(await acceptances(ledger), [others])
    const users = (await query(journal, 'select distinct user_name from journal_stop')).map((row) => row.user_name)
    assert.deepEqual(users, ['ben'])
    const again = JSON.parse((await run('delete', '--user', 'anna', ...BY, '--yes', '--json')).stdout)
    assert.equal(again.deleted.acceptances, 0)
    const retention = await run('retention')
    assert.equal(retention.status, 0, retention.stderr)
    assert.match(retention.stdout, /kept {3}for 14 days, with address and user for 3 days, then with pseudonyms/)
    assert.match(retention.stdout, /acceptances of the policy\n.*\n {2}kept {3}without a limit/)
    const { places } = JSON.parse((await run('retention', '--json')).stdout)
    assert.equal(
      places.some(({ where }: { where: string }) => where === 'PostgreSQL'),
      database.dialect === 'postgres',
    )
  })
}

describe('with one engine', () => {
  const cleanup = inReverse({ after })
  let it: Awaited<ReturnType<typeof start>>
  before(async () => {
    it = await start(cleanup, databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail())
  })

  test('export: one document with all rows, readable for its owner only', async () => {
    const { live, run, engine } = it
    const hers = await live('Anna', HERS)
    await live('ben', OTHERS)
    const file = join(engine.folder, 'anna.json')
    const { status, stderr } = await run('export', '--user', 'ANNA', '--output', file)
    assert.equal(status, 0, stderr)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const text = readFileSync(file, 'utf8')
    const document = JSON.parse(text)
    assert.doesNotMatch(text, /ben|203\.0\.113/)
    assert.deepEqual([document.format, document.version, document.complete], ['gateway-person', 1, true])
    assert.equal(document.engines[0].stops.length, 2)
    assert.equal(document.engines[0].sessions.length, 1)
    assert.deepEqual(
      document.ledgers[0].acceptances.map(({ jti }: { jti: string }) => jti),
      [hers],
    )
    assert.ok(
      document.summary.some((line: string) => / 2 {2}stopped requests in the journal/.test(line)),
      text,
    )
    assert.match(document.summary.join('\n'), /Acceptances are found whose verdict the journal knows, for 14 days/)
  })

  test('show: tables, newest first; by address with the acceptances that have it', async () => {
    const { live, run } = it
    await live('clara', '198.51.100.8', '198.51.100.8')
    await live('dora', '203.0.113.10', '203.0.113.10')
    const { status, stdout } = await run('show', '--client', '198.51.100.8')
    assert.equal(status, 0)
    assert.match(stdout, / 2 {2}stopped requests in the journal\n/)
    assert.match(stdout, / 1 {2}acceptances of the policy\n/)
    assert.match(stdout, /games\.example/)
    assert.doesNotMatch(stdout, /dora|203\.0\.113/)
  })

  test('an engine or a ledger that cannot be reached: nothing is deleted, and what is shown is not called all', async () => {
    const { live, run, ledger, engineOptions, urlFile } = it
    const reference = await live('emil', '198.51.100.9')
    const away = ['--engine', 'https://127.0.0.1:1']
    const shown = await run('show', '--user', 'emil', ...away)
    assert.equal(shown.status, 1)
    assert.match(shown.stdout, /NOT SEARCHED: no response from https:\/\/127\.0\.0\.1:1: ECONNREFUSED/)
    assert.match(shown.stderr, /^error: this is not all: /)
    const exported = await run('export', '--user', 'emil', ...away)
    assert.deepEqual([exported.status, JSON.parse(exported.stdout).complete], [1, false])
    const refused = await run('delete', '--user', 'emil', ...BY, '--yes', ...away)
    assert.equal(refused.status, 1)
    assert.match(refused.stderr, /nothing was deleted: no response/)
    const missing = join(urlFile, '..', 'missing')
    writeFileSync(missing, 'sqlite:////nowhere/portal.db')
    const without = await gatewayctl([
      ...['privacy', 'delete', '--user', 'emil', ...BY, '--yes'],
      ...[...engineOptions, '--database-url-file', missing],
    ])
    assert.equal(without.status, 1, without.stdout)
    assert.ok((await acceptances(ledger)).includes(reference))
    const engineOnly = await gatewayctl(['privacy', 'show', '--user', 'emil', ...engineOptions, '--no-acceptances'])
    assert.equal(engineOnly.status, 0)
    assert.match(engineOnly.stdout, /Acceptances were not searched \(--no-acceptances\)\./)
  })

  test('misuse: nobody named, no --by, no terminal', async () => {
    const { run } = it
    for (const [args, why] of [
      [['show'], /name --user or --client/],
      [['show', '--user', 'a', '--client', HERS], /cannot be used with/],
      [['delete', '--user', 'anna', '--yes'], /--by must name who deletes it/],
      [['delete', '--user', 'anna', ...BY], /no terminal for the confirmation/],
      [['show', '--client', '198.51.100.0/24'], /"client" must be an IP address/],
    ] as const) {
      const { status, stderr } = await run(...args)
      assert.equal(status, 2, `${args} ${stderr}`)
      assert.match(stderr, why)
    }
  })
})
