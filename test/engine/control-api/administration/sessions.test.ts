// Listing and ending sessions and lockouts.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { HOSTILE_RULE, HOSTILE_USER } from '../../../support/hostile.ts'
import { startEngine } from '../../running-engine.ts'
import { FILES, RULES } from './policy.ts'

const [NEWS, LAB] = ['https://news.example/', 'https://lab.example/']

async function start(t: TestContext) {
  const engine = await startEngine(t, RULES, { files: FILES })
  return {
    ...engine,
    call: async (name: string, body: object = {}) => (await engine.administer(name, body)).json,
    async openSession(url: string, client: string, user?: string) {
      assert.equal((await engine.acknowledge(await engine.verdict(url, client, user))).status, 302)
    },
    async lockOut(client: string, user?: string) {
      const verdict = await engine.verdict(LAB, client, user)
      for (const code of ['11111', '22222']) await engine.acknowledge(verdict, code)
    },
    verdictFor: async (client: string) => (await engine.decide(NEWS, client)).json.verdict,
  }
}

test('sessions are listed by rule, client and user, the newest first, up to a limit', async (t) => {
  const { openSession, pass, call } = await start(t)
  await openSession(NEWS, '198.51.100.7')
  pass(10)
  await openSession(NEWS, '2001:db8::7', 'Anna')
  pass(10)
  await openSession('https://evil.example/', '198.51.100.7', HOSTILE_USER)
  const { sessions, more } = await call('sessions/list')
  const listed = sessions as Record<string, unknown>[]
  assert.deepEqual(
    [...listed.map(({ rule, user, client }) => [rule, user, client]), more],
    [
      [HOSTILE_RULE, HOSTILE_USER, '198.51.100.7'],
      ['news', 'anna', '2001:db8::7'],
      ['news', null, '198.51.100.7'],
      false,
    ],
  )
  const { reference, started_at, expires_at } = listed[2] ?? {}
  assert.match(String(reference), /^[\w-]{22}$/)
  assert.deepEqual([started_at, expires_at], ['2027-01-15T08:00:00Z', '2027-01-15T08:30:00Z'])

  for (const [body, count] of [
    [{ rule: 'news' }, 2],
    [{ client: '198.51.100.7' }, 2],
    [{ client: '::ffff:198.51.100.7', rule: 'news' }, 1],
    [{ user: 'ANNA' }, 1],
    [{ user: "' or 1=1 --" }, 0],
  ] as const) {
    assert.equal(((await call('sessions/list', body)).sessions as unknown[]).length, count, JSON.stringify(body))
  }
  const limited = await call('sessions/list', { limit: 2 })
  assert.deepEqual([(limited.sessions as unknown[]).length, limited.more], [2, true])
})

test('a session that is ended no longer opens anything; the others stay', async (t) => {
  const { openSession, call, verdictFor, logged } = await start(t)
  const [one, other] = ['198.51.100.7', '198.51.100.8']
  for (const client of [one, other]) await openSession(NEWS, client)
  await openSession('https://evil.example/', one, HOSTILE_USER)
  assert.deepEqual(await call('sessions/end', { client: one, rule: 'news' }), { ended: 1 })
  assert.deepEqual([await verdictFor(one), await verdictFor(other)], ['warn', 'allow'])
  assert.deepEqual(await call('sessions/end', { all: true }), { ended: 2 })
  assert.equal(await verdictFor(other), 'warn')
  const lines = logged().filter(({ event }) => event === 'sessions.ended')
  assert.deepEqual(
    lines.map(({ from, rule, client, ended }) => [from, rule, client, ended]),
    [
      ['127.0.0.1', 'news', one, 1],
      ['127.0.0.1', undefined, undefined, 2],
    ],
  )
})

test('nothing ends without a filter, with a mistyped one, or with a filter and all', async (t) => {
  const { openSession, lockOut, administer, state } = await start(t)
  await openSession(NEWS, '198.51.100.7')
  await lockOut('198.51.100.9')
  const rejected: [object, RegExp][] = [
    [{}, /"rule", "client", "room" or "user".*"all"/],
    [{ all: false }, /"all" must be true/],
    [{ all: true, rule: 'news' }, /"all"/],
    [{ rul: 'news' }, /^"rul" is not a member of this call\.$/],
    [JSON.parse('{"__proto__": {"all": true}}'), /is not a member|"all" to true/],
    [{ rule: '' }, /"rule" must be text of 1 to 128 bytes/],
    [{ rule: ['news'] }, /"rule" must be/],
    [{ client: '198.51.100.7; drop table' }, /"client" must be an IP address/],
    [{ client: 'fe80::1%eth0' }, /"client" must be an IP address/],
    [{ room: '12' }, /"room" must be a room of \[rooms\]/],
    [{ user: 'a\nb' }, /"user" must be a user name/],
    [{ user: 'x'.repeat(300) }, /"user" must be a user name/],
    [{ ['x'.repeat(10_000)]: 1 }, /^"x{99,100}" is not a member/],
  ]
  for (const call of ['sessions/end', 'lockouts/end']) {
    for (const [body, detail] of rejected) {
      const { status, headers, json } = await administer(call, body)
      assert.deepEqual([status, headers['content-type']], [400, 'application/problem+json'], JSON.stringify(body))
      assert.match(String(json.detail), detail)
      assert.ok(String(json.detail).length < 300)
    }
  }
  assert.equal((await administer('sessions/list', { limit: 1001 })).status, 400)
  assert.equal((await administer('sessions/list', { limit: '5' })).status, 400)
  assert.deepEqual(await state.counts(), { sessions: 1, lockouts: 1 })
})

test('lockouts are listed and ended; the next code is compared again', async (t) => {
  const { lockOut, call, verdict, acknowledge, administer, state } = await start(t)
  await lockOut('2001:db8::7')
  await lockOut('198.51.100.7', 'Anna')
  await lockOut('198.51.100.8')
  const listed = async (body = {}) => (await call('lockouts/list', body)).lockouts as Record<string, unknown>[]
  assert.deepEqual(
    new Set((await listed()).map(({ rule, user, client }) => `${rule},${user ?? ''},${client ?? ''}`)),
    new Set(['lab,,2001:db8:0:0::/64', 'lab,anna,', 'lab,,198.51.100.8']),
  )
  // As the list spells it, or any address in it.
  for (const client of ['2001:db8:0:0::/64', '2001:db8::abcd'])
    assert.equal((await listed({ client })).length, 1, client)
  const query = await verdict(LAB, '2001:db8::7')
  assert.equal((await acknowledge(query, '80361')).status, 429)
  assert.deepEqual(await call('lockouts/end', { client: '2001:db8::1' }), { ended: 1 })
  assert.equal((await acknowledge(query, '80361')).status, 302)
  assert.deepEqual(await call('lockouts/end', { user: 'anna', rule: 'lab' }), { ended: 1 })
  assert.deepEqual(await state.counts(), { sessions: 1, lockouts: 1 })
  assert.equal((await administer('lockouts/end', { client: '198.51.100.8/64' })).status, 400)
})
