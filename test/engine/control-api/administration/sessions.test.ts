// Listing and ending sessions and lockouts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOSTILE_RULE, HOSTILE_USER } from '../../../support/hostile.ts'
import { type RunningEngine, startEngine } from '../../running-engine.ts'
import { FILES, RULES } from './policy.ts'

const start = (t: Parameters<typeof startEngine>[0]) => startEngine(t, RULES, { files: FILES })

async function openSession(engine: RunningEngine, url: string, client: string, user?: string): Promise<void> {
  assert.equal((await engine.acknowledge(await engine.verdict(url, client, user))).status, 302)
}

async function lockOut(engine: RunningEngine, client: string, user?: string): Promise<void> {
  const verdict = await engine.verdict('https://lab.example/', client, user)
  for (const code of ['11111', '22222']) await engine.acknowledge(verdict, code)
}

test('sessions are listed by rule, client and user, the newest first, up to a limit', async (t) => {
  const engine = await start(t)
  await openSession(engine, 'https://news.example/', '198.51.100.7')
  engine.pass(10)
  await openSession(engine, 'https://news.example/', '2001:db8::7', 'Anna')
  engine.pass(10)
  await openSession(engine, 'https://evil.example/', '198.51.100.7', HOSTILE_USER)
  const list = async (body: object) => (await engine.administer('sessions/list', body)).json

  const { sessions, more } = await list({})
  assert.equal(more, false)
  const [hostile, anna, plain] = sessions as Record<string, unknown>[]
  assert.deepEqual([hostile?.rule, hostile?.user, hostile?.client], [HOSTILE_RULE, HOSTILE_USER, '198.51.100.7'])
  assert.deepEqual([anna?.rule, anna?.user, anna?.client], ['news', 'anna', '2001:db8::7'])
  assert.deepEqual(
    [plain?.user, plain?.started_at, plain?.expires_at],
    [null, '2027-01-15T08:00:00Z', '2027-01-15T08:30:00Z'],
  )
  assert.match(String(plain?.reference), /^[\w-]{22}$/)

  const count = async (body: object) => ((await list(body)).sessions as unknown[]).length
  assert.equal(await count({ rule: 'news' }), 2)
  assert.equal(await count({ client: '198.51.100.7' }), 2)
  assert.equal(await count({ client: '::ffff:198.51.100.7', rule: 'news' }), 1)
  assert.equal(await count({ user: 'ANNA' }), 1)
  assert.equal(await count({ user: "' or 1=1 --" }), 0)
  const limited = await list({ limit: 2 })
  assert.deepEqual([(limited.sessions as unknown[]).length, limited.more], [2, true])
})

test('a session that is ended no longer opens anything; the others stay', async (t) => {
  const engine = await start(t)
  const [one, other] = ['198.51.100.7', '198.51.100.8']
  for (const client of [one, other]) await openSession(engine, 'https://news.example/', client)
  await openSession(engine, 'https://evil.example/', one, HOSTILE_USER)
  const ended = await engine.administer('sessions/end', { client: one, rule: 'news' })
  assert.deepEqual(ended.json, { ended: 1 })
  assert.equal((await engine.decide('https://news.example/', one)).json.verdict, 'warn')
  assert.equal((await engine.decide('https://news.example/', other)).json.verdict, 'allow')
  assert.deepEqual((await engine.administer('sessions/end', { all: true })).json, { ended: 2 })
  assert.equal((await engine.decide('https://news.example/', other)).json.verdict, 'warn')
  const lines = engine.logged().filter(({ msg }) => msg === 'sessions ended')
  assert.deepEqual(
    lines.map(({ level: _, ...line }) => line),
    [
      { event: 'sessions.ended', from: '127.0.0.1', rule: 'news', client: one, ended: 1, msg: 'sessions ended' },
      { event: 'sessions.ended', from: '127.0.0.1', ended: 2, msg: 'sessions ended' },
    ],
  )
})

test('nothing ends without a filter, with a mistyped one, or with a filter and all', async (t) => {
  const engine = await start(t)
  await openSession(engine, 'https://news.example/', '198.51.100.7')
  await lockOut(engine, '198.51.100.9')
  const rejected: [object, RegExp][] = [
    [{}, /"rule", "client" or "user".*"all"/],
    [{ all: false }, /"all" must be true/],
    [{ all: true, rule: 'news' }, /"all"/],
    [{ rul: 'news' }, /^"rul" is not a member of this call\.$/],
    [JSON.parse('{"__proto__": {"all": true}}'), /is not a member|"all" to true/],
    [{ rule: '' }, /"rule" must be text of 1 to 128 bytes/],
    [{ rule: ['news'] }, /"rule" must be/],
    [{ client: '198.51.100.7; drop table' }, /"client" must be an IP address/],
    [{ client: 'fe80::1%eth0' }, /"client" must be an IP address/],
    [{ user: 'a\nb' }, /"user" must be a user name/],
    [{ user: 'x'.repeat(300) }, /"user" must be a user name/],
    [{ ['x'.repeat(10_000)]: 1 }, /^"x{99,100}" is not a member/],
  ]
  for (const call of ['sessions/end', 'lockouts/end']) {
    for (const [body, detail] of rejected) {
      const { status, headers, json } = await engine.administer(call, body)
      assert.deepEqual([status, headers['content-type']], [400, 'application/problem+json'], JSON.stringify(body))
      assert.match(String(json.detail), detail)
      assert.ok(String(json.detail).length < 300)
    }
  }
  assert.equal((await engine.administer('sessions/list', { limit: 1001 })).status, 400)
  assert.equal((await engine.administer('sessions/list', { limit: '5' })).status, 400)
  assert.deepEqual(await engine.state.counts(), { sessions: 1, lockouts: 1 })
})

test('lockouts are listed and ended; the next code is compared again', async (t) => {
  const engine = await start(t)
  await lockOut(engine, '2001:db8::7')
  await lockOut(engine, '198.51.100.7', 'Anna')
  await lockOut(engine, '198.51.100.8')
  const { lockouts } = (await engine.administer('lockouts/list', {})).json
  const known = (lockouts as Record<string, unknown>[]).map(({ rule, user, client }) => [rule, user, client])
  assert.deepEqual(new Set(known.map(String)), new Set(['lab,,2001:db8:0:0::/64', 'lab,anna,', 'lab,,198.51.100.8']))

  // As the list spells it, or any address in it.
  for (const client of ['2001:db8:0:0::/64', '2001:db8::abcd']) {
    const { json } = await engine.administer('lockouts/list', { client })
    assert.equal((json.lockouts as unknown[]).length, 1, client)
  }
  const verdict = await engine.verdict('https://lab.example/', '2001:db8::7')
  assert.equal((await engine.acknowledge(verdict, '80361')).status, 429)
  assert.deepEqual((await engine.administer('lockouts/end', { client: '2001:db8::1' })).json, { ended: 1 })
  assert.equal((await engine.acknowledge(verdict, '80361')).status, 302)
  assert.deepEqual((await engine.administer('lockouts/end', { user: 'anna', rule: 'lab' })).json, { ended: 1 })
  assert.deepEqual(await engine.state.counts(), { sessions: 1, lockouts: 1 })
  assert.equal((await engine.administer('lockouts/end', { client: '198.51.100.8/64' })).status, 400)
})
