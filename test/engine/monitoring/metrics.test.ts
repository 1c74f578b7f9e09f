// The operations listener of a real engine: what is counted, what is checked, and that the engine decides without it.
import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { rule } from '../../support/rules.ts'
import { until } from '../../support/until.ts'
import { ask } from '../icap/icap-client.ts'
import { hosts, reqmod, TOKEN } from '../icap/messages.ts'
import { startEngine } from './engine-process.ts'

const RULES = `
${rule('gambling', 'block', 'lists = ["casinos"]', 'category = "Gambling"')}
${rule('news', 'warn', 'match = ["news.example"]')}
${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "8036", attempts = 2 }')}
[[lists]]
name = "casinos"
path = "casinos.txt"
`
const files = { 'casinos.txt': 'casino.example\npoker.example\nbets.example\n' }
const values = (all: Readonly<Record<string, number>>) => new Map(Object.entries(all))

test('decisions by verdict, rule and door; acknowledgements, sessions, lockouts', { timeout: 60_000 }, async (t) => {
  const icap = '[icap]\nlisten = "127.0.0.1:0"\ntoken_file = "token"'
  const engine = await startEngine(t, `${RULES}${icap}`, { files: { ...files, token: TOKEN } })
  await engine.decide('https://www.casino.example/')
  const { redirect } = await engine.decide('https://news.example/')
  assert.equal((await engine.acknowledge(redirect)).status, 302)
  await engine.decide('https://news.example/')
  // Names that visitors choose are never labels.
  for (let one = 0; one < 20; one++) await engine.decide(`https://h${one}.example/p${one}`, { user: `u${one}` })
  const lab = await engine.decide('https://lab.example/')
  await engine.acknowledge(lab.redirect, '1111')
  await engine.acknowledge(lab.redirect, '2222')

  assert.deepEqual(
    await engine.metric('engine_decisions_total'),
    values({
      'verdict="block",rule="gambling",door="json"': 1,
      'verdict="warn",rule="news",door="json"': 1,
      'verdict="allow",rule="news",door="json"': 1,
      'verdict="allow",rule="",door="json"': 20,
      'verdict="aup",rule="lab",door="json"': 1,
    }),
  )
  assert.deepEqual(
    await engine.metric('engine_stopped_total'),
    values({
      'category="Gambling",rule="gambling"': 1,
      'category="",rule="news"': 1,
      'category="",rule="lab"': 1,
    }),
  )
  const outcomes = await engine.metric('engine_acknowledgements_total')
  assert.equal(outcomes.get('outcome="accepted"'), 1)
  assert.equal(outcomes.get('outcome="code rejected"'), 1)
  assert.equal(outcomes.get('outcome="locked out"'), 1)
  assert.equal(outcomes.get('outcome="malformed"'), 0)
  assert.equal((await engine.metric('engine_decision_seconds_count')).get(''), 24)
  const buckets = await engine.metric('engine_decision_seconds_bucket')
  const bounds = Array.from(buckets.keys(), (label) => Number(/"(.*)"/.exec(label)?.[1]))
  assert.deepEqual([bounds[0], bounds.at(-2)], [0.000005, 0.2])
  assert.equal(buckets.get('le="+Inf"'), 24)
  assert.deepEqual(await engine.metric('engine_list_entries'), values({ 'list="casinos"': 3 }))
  const port = Number(engine.lines.map(({ msg }) => /icap:.*:(\d+)$/.exec(`${msg}`)?.[1]).find(Boolean))
  const [asked] = await ask(port, hosts(['www.casino.example', 'open.example', '?']))
  assert.deepEqual(asked?.head.match(/(?<=X-Ruled: )\w+/g), ['yes', 'no', 'yes'])
  assert.deepEqual(await engine.metric('engine_hosts_total'), values({ 'ruled="yes"': 2, 'ruled="no"': 1 }))
  assert.equal((await ask(port, reqmod({ fields: ['Preview: 0'] })))[0]?.status, 204)
  assert.equal((await engine.metric('engine_decisions_total')).get('verdict="allow",rule="",door="icap"'), 1)
  await until(async () => (await engine.metric('engine_sessions')).get('') === 1)
  assert.equal((await engine.metric('engine_lockouts')).get(''), 1)
  assert.equal((await engine.metric('engine_database_up')).get(''), 1)
})

test('a list whose file is not in force; under the permissions of the unit it has a copy', {
  timeout: 60_000,
}, async (t) => {
  const engine = await startEngine(t, RULES, { files })
  const isCurrent = async () => (await engine.metric('engine_list_current')).get('list="casinos"')
  await engine.listening()
  assert.equal(await isCurrent(), 1)
  await until(() => existsSync(join(engine.published, 'engine', 'accepted-p.toml.lists', 'lists.json')))
  engine.write('casinos.txt', '<html>')
  await until(async () => (await isCurrent()) === 0)
  assert.equal((await engine.metric('engine_list_entries')).get('list="casinos"'), 3)
  assert.equal((await engine.metric('engine_policy_kept')).get(''), 1)
  const errors = () => engine.lines.filter(({ level }) => Number(level) >= 50).map(({ msg }) => msg)
  await until(() => errors().length > 0)
  assert.deepEqual(errors(), ['policy kept'])
})

test('a reload is counted; a removed rule disappears; a rejected policy is reported', {
  timeout: 60_000,
}, async (t) => {
  const engine = await startEngine(t, RULES, { files })
  await engine.decide('https://casino.example/')
  await engine.decide('https://news.example/')
  const labels = async () => Array.from((await engine.metric('engine_decisions_total')).keys())
  assert.equal((await labels()).length, 2)

  engine.writePolicy(rule('news', 'warn') + rule('lab', 'warn'))
  await until(async () => (await engine.metric('engine_reloads_total')).get('result="loaded"') === 1)
  assert.deepEqual(await labels(), ['verdict="warn",rule="news",door="json"'])
  assert.deepEqual([...(await engine.metric('engine_stopped_total')).keys()], ['category="",rule="news"'])
  assert.equal((await engine.metric('engine_list_entries')).size, 0)
  assert.equal((await engine.metric('engine_policy_kept')).get(''), 0)

  engine.writePolicy('default = "maybe"\n')
  await until(async () => (await engine.metric('engine_reloads_total')).get('result="kept"') === 1)
  assert.equal((await engine.metric('engine_policy_kept')).get(''), 1)
  assert.equal((await engine.decide('https://news.example/')).verdict, 'warn')
  // It decides by the policy that it has: no reason to stop the traffic.
  await until(async () => /the last load was rejected/.test((await engine.operations('/readyz')).body))
  assert.equal((await engine.operations('/readyz')).status, 200)
})

test('not ready without the database or a certificate, and ready again', { timeout: 60_000 }, async (t) => {
  const engine = await startEngine(t, RULES, { files })
  await engine.listening()
  assert.deepEqual(await engine.operations('/healthz'), { status: 200, body: '{"status":"ok"}\n' })
  const ready = async () => {
    const { status, body } = await engine.operations('/readyz')
    const { checks } = JSON.parse(body)
    return [status, ...['policy', 'database', 'certificates'].map((name) => checks[name].state)].join(' ')
  }
  await until(async () => (await ready()) === '200 ok ok ok')

  using database = new DatabaseSync(join(engine.published, 'engine/state.db'), { timeout: 5_000 })
  database.exec('alter table engine_revision rename to hidden')
  await until(async () => (await ready()) === '503 ok failing ok')
  assert.equal((await engine.metric('engine_database_up')).get(''), 0)
  assert.equal((await engine.metric('engine_check')).get('check="database"'), 0)
  database.exec('alter table hidden rename to engine_revision')
  await until(async () => (await ready()) === '200 ok ok ok')

  rmSync(join(engine.published, 'terminator/portal.crt'))
  await until(async () => (await ready()) === '503 ok ok failing')
  assert.match((await engine.operations('/readyz')).body, /terminator\/portal\.crt cannot be read \(ENOENT\)/)
})

test('the journal of a process: rows are counted, a fault leaves the engine ready, and SIGTERM writes the rest', {
  timeout: 120_000,
}, async (t) => {
  const engine = await startEngine(t, RULES, { files })
  const value = async (name: string) => (await engine.metric(`engine_journal_${name}`)).get('')
  const { reference: first } = await engine.decide('https://casino.example/')
  await until(async () => (await value('rows_total')) === 1)
  assert.deepEqual([await value('up'), await value('queued'), await value('rows_lost_total')], [1, 0, 0])
  const path = join(engine.published, 'engine/journal.db')
  const locking = new DatabaseSync(path, { timeout: 5_000 })
  locking.exec('begin immediate')
  const { reference: second } = await engine.decide('https://poker.example/')
  await until(async () => (await value('up')) === 0, 30)
  assert.equal(await value('queued'), 1)
  // It is cached for a second.
  const { status, journal } = await until(async () => {
    const { status, body } = await engine.operations('/readyz')
    const { journal } = JSON.parse(body).checks
    return journal.state === 'failing' && { status, journal }
  })
  assert.equal(status, 200)
  assert.match(journal.detail, /locked.*; 1 rows queued, 0 lost/)
  assert.equal((await engine.metric('engine_check')).get('check="journal"'), 0)
  locking.close()
  await until(async () => (await value('rows_total')) === 2, 30)
  const { reference: third } = await engine.decide('https://bets.example/')
  engine.child.kill('SIGTERM')
  assert.equal(await engine.ended, 0)
  using database = new DatabaseSync(path)
  const rows = database.prepare('select reference from journal_stop order by at').all()
  assert.deepEqual(
    rows.map((row) => row.reference),
    [first, second, third],
  )
})

test('days = 0: no journal, no metric, no file', { timeout: 60_000 }, async (t) => {
  const engine = await startEngine(t, `${RULES}[journal]\ndays = 0`, { files })
  await engine.decide('https://casino.example/')
  assert.equal((await engine.metric('engine_journal_up')).size, 0)
  assert.equal(JSON.parse((await engine.operations('/readyz')).body).checks.journal, undefined)
  assert.equal(existsSync(join(engine.published, 'engine/journal.db')), false)
})
