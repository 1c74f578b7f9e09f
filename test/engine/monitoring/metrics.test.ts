// The operations listener of a real engine: what is counted, what is checked, and that the engine decides without it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { rule } from '../../support/rules.ts'
import { until } from '../../support/until.ts'
import { startEngine } from './engine-process.ts'

const RULES = `
${rule('gambling', 'block', 'lists = ["casinos"]')}
${rule('news', 'warn', 'match = ["news.example"]')}
${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "8036", attempts = 2 }')}
[[lists]]
name = "casinos"
path = "casinos.txt"
`
const files = { 'casinos.txt': 'casino.example\npoker.example\nbets.example\n' }
/** Which a reader must name. */
const SHARED_STATE = '[state]\nurl = "sqlite://"\nkey_file = "/run/shared/state.key"'
const decisions = (values: Readonly<Record<string, number>>) => new Map(Object.entries(values))

test('decisions by verdict, rule and door; acknowledgements, sessions, lockouts', { timeout: 60_000 }, async (t) => {
  const engine = await startEngine(t, RULES, { files })
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
    decisions({
      'verdict="block",rule="gambling",door="json"': 1,
      'verdict="warn",rule="news",door="json"': 1,
      'verdict="allow",rule="news",door="json"': 1,
      'verdict="allow",rule="",door="json"': 20,
      'verdict="aup",rule="lab",door="json"': 1,
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
  assert.deepEqual(await engine.metric('engine_list_entries'), decisions({ 'list="casinos"': 3 }))
  await until(async () => (await engine.metric('engine_sessions')).get('') === 1)
  assert.equal((await engine.metric('engine_lockouts')).get(''), 1)
  assert.equal((await engine.metric('engine_database_up')).get(''), 1)
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

test('an engine that waits for its certificate is alive, not ready, and stops at once', {
  timeout: 60_000,
}, async (t) => {
  const engine = await startEngine(t, RULES, { files, certificates: `role = "reader"\n${SHARED_STATE}` })
  await until(() => engine.lines.some(({ msg }) => /^waiting for the engine/.test(String(msg))))
  assert.equal((await engine.operations('/healthz')).status, 200)
  const { status, body } = await engine.operations('/readyz')
  const { checks } = JSON.parse(body)
  assert.deepEqual(
    [status, checks.policy.state, checks.database.detail, checks.certificates.state],
    [503, 'ok', 'not opened yet', 'failing'],
  )
  engine.child.kill('SIGTERM')
  assert.equal(await engine.ended, 0)
})

test('a taken port is an error in the log, and the engine decides; an empty address is none', {
  timeout: 60_000,
}, async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as AddressInfo
  const engine = await startEngine(t, RULES, { files, ops: `listen = "127.0.0.1:${port}"` })
  assert.equal((await engine.decide('https://casino.example/')).verdict, 'block')
  assert.equal(
    engine.lines.find(({ level }) => level === 50)?.msg,
    `cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE); ops.listen: there are no metrics until the next start`,
  )

  const silent = await startEngine(t, RULES, { files, ops: 'listen = ""' })
  assert.equal((await silent.decide('https://casino.example/')).verdict, 'block')
  assert.ok(!silent.lines.some(({ msg }) => /operations/.test(String(msg))))
})
