// The status, and a reload with its result.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { engineJournalOf } from '../../../../src/contract/engine-health.ts'
import { keyring } from '../../../support/payloads.ts'
import { rule } from '../../../support/rules.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'
import { policy, startEngine } from '../../running-engine.ts'
import { FILES, RULES } from './policy.ts'

test('the status counts what is loaded and what is stored', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  await engine.acknowledge(await engine.verdict('https://news.example/'))
  const lab = await engine.verdict('https://lab.example/')
  for (const code of ['11111', '22222']) await engine.acknowledge(lab, code)
  await engine.administer('permissions/allow', { host: 'x.example', minutes: 5, by: 'x' })
  const { time, instance, policy, last_load, database, ...counts } = (await engine.administer('status', {})).json
  assert.equal(time, '2027-01-15T08:00:00Z')
  assert.match(String(instance), /^[\w-]{12}$/)
  const { revision, ...described } = policy as Record<string, unknown>
  assert.match(String(revision), /^[\w-]{22}$/)
  const adult = { name: 'adult', entries: 2, optional: false, fallback: null, since: null }
  assert.deepEqual(described, { rules: 6, default: 'allow', groups: 0, lists: [adult] })
  assert.deepEqual(last_load, { result: 'loaded', problems: [], warnings: [] })
  assert.deepEqual(database, { up: true, fault: null, memory_backed: true, in_temporary_folder: false })
  assert.deepEqual(counts, {
    kid: keyring.sealing.kid,
    journal: null,
    sessions: 1,
    lockouts: 1,
    permissions: 1,
    stopped_in_memory: 2,
    decisions: { json: 2, icap: 0 },
  })
})

test('the status has the journal, also while it cannot be written; the health document what it keeps', async (t) => {
  const journal = { dialect: 'sqlite', path: join(temporaryFolder(t), 'journal.db') } as const
  const engine = await startEngine(t, `${RULES}[journal]\ndays = 7\nhosts = false\n`, { files: FILES, journal })
  const { text } = await engine.ask('GET', '/healthz')
  assert.deepEqual(engineJournalOf(text), { days: 7, personDays: 3, hosts: false })
  const read = async () => (await engine.administer('status', {})).json.journal
  const kept = { days: 7, person_days: 3, hosts: false }
  await engine.journal?.flush()
  assert.deepEqual(await read(), { ...kept, up: true, fault: null, queued: 0, lost: 0, lost_events: 0, oldest: null })
  await engine.decide('https://adult.example/')
  await engine.journal?.flush()
  const working = { ...kept, up: true, fault: null, queued: 0, lost: 0, lost_events: 0, oldest: '2027-01-15T08:00:00Z' }
  assert.deepEqual(await read(), working)
  using locking = new DatabaseSync(journal.path, { timeout: 5_000 })
  locking.exec('begin immediate')
  await engine.decide('https://adult.example/')
  await until(async () => !((await read()) as { up: boolean }).up, 30)
  const { fault, ...status } = (await read()) as { readonly fault: string }
  assert.match(fault, /^the journal could not be written: another program has locked the file/)
  assert.deepEqual(status, { ...kept, up: false, queued: 1, lost: 0, lost_events: 0, oldest: null })
  assert.equal((await engine.decide('https://adult.example/')).json.verdict, 'block')
})

test('a health document without a journal, or with another one, says nothing of it', () => {
  const document = (journal: unknown) => JSON.stringify({ status: 'ok', journal })
  const good = { days: 14, person_days: 3, hosts: true }
  assert.deepEqual(engineJournalOf(document({ ...good, more: 1 })), { days: 14, personDays: 3, hosts: true })
  const others = [undefined, null, 7, {}, { ...good, days: '14' }, { ...good, person_days: -1 }, { ...good, hosts: 1 }]
  for (const journal of [...others, { ...good, days: 1.5 }, { ...good, days: 1e9 }]) {
    assert.equal(engineJournalOf(document(journal)), undefined, JSON.stringify(journal))
  }
  assert.equal(engineJournalOf('<html>'), undefined)
})

test('without a database the status still reports the policy; other calls are 503', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  const { reference } = (await engine.decide('https://adult.example/')).json
  await engine.state.close()
  const { status, json } = await engine.administer('status', {})
  assert.equal(status, 200)
  assert.deepEqual([(json.database as { up: boolean }).up, json.sessions, json.permissions], [false, null, null])
  for (const [call, body] of [
    ['sessions/list', {}],
    ['lockouts/end', { all: true }],
    ['permissions/allow', { host: 'x.example', minutes: 5, by: 'x' }],
  ] as const) {
    const answer = await engine.administer(call, body)
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '5'])
  }
  assert.equal((await engine.administer('why', { reference })).status, 200)
})

test('a reload reports every problem, a bounded number of them, and keeps the policy', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  const { revision } = (await engine.administer('status', {})).json.policy as { revision: string }
  await engine.write(RULES.replace('"bank"', '""').replace('"block"', '"blok<script>"'))
  const { status, json } = await engine.administer('reload', {})
  assert.deepEqual([status, json.result, (json.policy as { revision: string }).revision], [200, 'kept', revision])
  const problems = json.problems as string[]
  assert.equal(problems.length, 2)
  assert.match(problems.join('\n'), /rules\[1\]\.name must.*rules\[2\]\.action must.*"blok<script>"/s)
  assert.equal((await engine.decide('https://adult.example/')).json.verdict, 'block')
  const { last_load } = (await engine.administer('status', {})).json
  assert.equal((last_load as { result: string }).result, 'kept')

  const faulty = rule('x'.repeat(2000), 'block', 'match = ["a"]')
  await engine.write(RULES + faulty.repeat(2000))
  const many = await engine.administer('reload', {})
  const reported = many.json.problems as string[]
  assert.equal(reported.length, 201)
  assert.match(reported.at(-1) ?? '', /^and \d+ more$/)
  assert.ok(many.text.length < 250_000)

  await engine.write(RULES.replace('news.example', 'paper.example'))
  const loaded = (await engine.administer('reload', {})).json
  assert.deepEqual([loaded.result, loaded.problems], ['loaded', []])
  assert.notEqual((loaded.policy as { revision: string }).revision, revision)
  assert.equal((await engine.decide('https://paper.example/')).json.verdict, 'warn')
})

test('losses are accepted by a member of the call, which the audit log has, and by no other value', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  await engine.write(policy(rule('news', 'warn')))
  for (const [body, status] of [
    [{ accept_losses: false }, 400],
    [{ accept_losses: 'yes' }, 400],
    [{ acceptLosses: true }, 400],
    [{}, 200],
  ] as const) {
    assert.equal((await engine.administer('reload', body)).status, status, JSON.stringify(body))
    assert.equal((await engine.decide('https://adult.example/')).json.verdict, 'block')
  }
  const { json } = await engine.administer('reload', { accept_losses: true })
  assert.deepEqual([json.result, json.problems], ['loaded', []])
  assert.equal((await engine.decide('https://adult.example/')).json.verdict, 'allow')
  const requested = engine.logged().filter(({ event }) => event === 'reload.requested')
  assert.deepEqual(
    requested.map(({ acceptLosses }) => acceptLosses),
    [undefined, true],
  )
})
