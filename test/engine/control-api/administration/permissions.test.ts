// Opening a host for a time.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rule } from '../../../support/rules.ts'
import { policy, startEngine } from '../../running-engine.ts'
import { FILES, RULES } from './policy.ts'

async function start(t: TestContext, toml = RULES) {
  const engine = await startEngine(t, toml, { files: FILES })
  return {
    ...engine,
    verdictOf: async (host: string) => (await engine.decide(`https://${host}/`)).json.verdict,
    allow: (host: unknown, minutes: unknown = 60, by: unknown = 'x', more = {}) =>
      engine.administer('permissions/allow', { host, minutes, by, ...more }),
    list: async (body = {}) => (await engine.administer('permissions/list', body)).json,
    end: async (host: string) => (await engine.administer('permissions/end', { host })).json,
  }
}

test('a permission opens its host and nothing else, is logged with its name, and expires by itself', async (t) => {
  const { verdictOf, allow, list, pass, logged, write, administer } = await start(t)
  assert.equal(await verdictOf('adult.example'), 'block')
  const { status, json } = await allow('Adult.Example', 120, 'Ms Rossi <script>')
  assert.equal(status, 200)
  assert.deepEqual(json, {
    ...{ host: 'adult.example', by: 'Ms Rossi <script>' },
    ...{ client: null, room: null, user: null, group: null, despite: null },
    ...{ created_at: '2027-01-15T08:00:00Z', expires_at: '2027-01-15T10:00:00Z' },
  })
  assert.equal(await verdictOf('adult.example'), 'allow')
  assert.equal(await verdictOf('www.adult.example'), 'block')
  assert.equal(await verdictOf('news.example'), 'warn')
  const [line] = logged().filter(({ msg }) => msg === 'permission granted')
  assert.deepEqual([line?.by, line?.host, line?.from], ['Ms Rossi <script>', 'adult.example', '127.0.0.1'])

  await write('adult.example\nother.example\n', 'adult.txt')
  assert.equal((await administer('reload', {})).json.result, 'loaded')
  assert.equal(await verdictOf('other.example'), 'block')
  pass(2 * 3600 - 1)
  assert.equal(await verdictOf('adult.example'), 'allow', 'also after a reload')
  pass(1)
  assert.equal(await verdictOf('adult.example'), 'block')
  assert.deepEqual(await list(), { permissions: [], more: false })
})

test('with all hosts below; listed by what expires first; ended by the host', async (t) => {
  const { verdictOf, allow, list, end, logged } = await start(t)
  for (const [host, minutes] of [
    ['.adult.example', 60],
    ['adult.example', 30],
    ['bücher.example', 10],
    ['adult.example', 20],
  ] as const) {
    assert.equal((await allow(host, minutes)).status, 200)
  }
  const hosts = ((await list()).permissions as { host: string }[]).map(({ host }) => host)
  assert.deepEqual(hosts, ['xn--bcher-kva.example', 'adult.example', 'adult.example', '.adult.example'])
  assert.equal((await list({ limit: 3 })).more, true)
  assert.equal(await verdictOf('a.b.adult.example'), 'allow')

  const { ended, still_open } = await end('ADULT.example')
  assert.deepEqual([ended, (still_open as { host: string }).host], [2, '.adult.example'])
  assert.equal(await verdictOf('adult.example'), 'allow')
  assert.deepEqual(await end('.adult.example'), { ended: 1, still_open: null })
  assert.equal(await verdictOf('adult.example'), 'block')
  assert.equal((await end('.adult.example')).ended, 0)
  assert.equal(logged().filter(({ msg }) => msg === 'permission ended').length, 3)
})

test('what is no host, no duration or no name is rejected', async (t) => {
  const { allow, state } = await start(t)
  const hosts = '* *.adult.example adult.example/path https://adult.example adult.example:8443 adult.example/'.split(
    ' ',
  )
  const host = 'adult.example'
  const rejected = [
    ...[...hosts, '192.0.2.0/24', '192.168.1', '', 'a b', 'x\u0000y', '.10.0.0.1', 7].map((one) => allow(one)),
    ...[0, -1, 1.5, 44_641, '60', null, 1e300].map((minutes) => allow(host, minutes)),
    ...['', 'x'.repeat(129), 'a\nb', 7, null].map((by) => allow(host, 1, by)),
    allow(host, 1, 'x', { reason: 'x' }),
    allow(host, 1, 'x', { by: undefined }),
  ]
  for (const { status, json } of await Promise.all(rejected)) {
    assert.equal(status, 400)
    assert.match(String(json.detail), /^"(host|minutes|by|reason)" /)
  }
  assert.deepEqual(await state.permissions(), [])
})

const SCOPED = RULES.replace(
  '[[lists]]',
  '[rooms]\n12 = ["192.168.12.0/24", "2001:db8:12::/64"]\n[users]\nstrip = ["SCHOOL\\\\"]\n[groups]\nstaff = { users = ["anna", "ben"] }\n[[lists]]',
)

test('for a network, a room, a user and a group: all that is given must match', async (t) => {
  const { decide, allow, list, end, pass, logged } = await start(t, SCOPED)
  const seen = async (host: string) => {
    const visitors = [
      ['192.168.12.7', 'Anna'],
      ['192.168.12.7', 'cora'],
      ['192.168.12.7', undefined],
      ['192.168.13.7', 'school\\ANNA'],
      ['192.168.13.7', 'ben'],
      ['2001:db8:12::7', 'ben'],
      ['192.168.13.7', undefined],
    ] as const
    const verdicts = visitors.map(
      async ([client, user]) => (await decide(`https://${host}/`, client, user)).json.verdict,
    )
    return (await Promise.all(verdicts)).map((verdict) => (verdict === 'allow' ? '1' : '0')).join('')
  }
  const cases: [scope: object, opened: string][] = [
    [{ client: '192.168.12.9/24' }, '1110000'],
    [{ client: '192.168.13.7' }, '0001101'],
    [{ client: '2001:DB8:12::/48' }, '0000010'],
    [{ room: '12' }, '1110010'],
    [{ room: '12', group: 'staff' }, '1000010'],
    [{ user: 'ＡＮＮＡ' }, '1001000'],
    [{ user: 'SCHOOL\\anna' }, '1001000'],
    [{ group: 'staff' }, '1001110'],
    [{ client: '192.168.12.0/24', group: 'staff' }, '1000000'],
    [{ client: '192.168.13.0/24', user: 'anna' }, '0001000'],
    [{ client: '192.168.13.0/24', user: 'cora', group: 'staff' }, '0000000'],
    [{}, '1111111'],
  ]
  for (const [scope, opened] of cases) {
    const { status, json } = await allow('adult.example', 60, 'x', scope)
    assert.equal(status, 200, JSON.stringify(json))
    assert.equal(await seen('adult.example'), opened, JSON.stringify(scope))
    assert.equal((await end('adult.example')).ended, 1)
    assert.equal(await seen('adult.example'), '0000000')
  }
  await allow('adult.example', 5, 'x', { client: '192.168.12.0/24' })
  await allow('adult.example', 10, 'x', { group: 'staff' })
  assert.equal(await seen('adult.example'), '1111110', 'either of two')
  pass(300)
  assert.equal(await seen('adult.example'), '1001110')
  const [only] = (await list()).permissions as Record<string, unknown>[]
  assert.deepEqual([only?.client, only?.user, only?.group, only?.despite], [null, null, 'staff', null])
  const granted = logged().filter(({ event }) => event === 'permission.granted')
  assert.deepEqual(
    [granted[0]?.client, granted[3]?.room, granted[5]?.user, granted.at(-1)?.group],
    ['192.168.12.0/24', '12', 'anna', 'staff'],
  )
})

test('a group or room that the policy loses opens nothing, and those of today count', async (t) => {
  const { decide, allow, write, administer } = await start(t, SCOPED)
  const verdictOf = async (user: string) => (await decide('https://adult.example/', undefined, user)).json.verdict
  await allow('adult.example', 60, 'x', { group: 'staff' })
  assert.deepEqual([await verdictOf('ben'), await verdictOf('cora')], ['allow', 'block'])
  await write(SCOPED.replace('"ben"', '"cora"'))
  assert.equal((await administer('reload', {})).json.result, 'loaded')
  assert.deepEqual([await verdictOf('ben'), await verdictOf('cora')], ['block', 'allow'])
  await write(SCOPED.replace('staff =', 'others ='))
  assert.equal((await administer('reload', {})).json.result, 'loaded')
  assert.deepEqual([await verdictOf('anna'), await verdictOf('cora')], ['block', 'block'])

  const inRoom = async () => (await decide('https://adult.example/', '192.168.13.7')).json.verdict
  assert.equal((await allow('adult.example', 60, 'x', { room: '12' })).status, 200)
  const verdicts = [await inRoom()]
  for (const text of [SCOPED.replace('192.168.12.', '192.168.13.'), SCOPED.replace('12 =', '13 =')]) {
    await write(text)
    assert.equal((await administer('reload', {})).json.result, 'loaded')
    verdicts.push(await inRoom())
  }
  assert.deepEqual(verdicts, ['block', 'allow', 'block'])
})

test('those of exactly one scope are ended, or all of a host', async (t) => {
  const { allow, administer } = await start(t, SCOPED)
  const end = async (scope = {}) => (await administer('permissions/end', { host: 'adult.example', ...scope })).json
  for (const scope of [
    {},
    { user: 'anna' },
    { user: 'anna', client: '10.0.0.0/8' },
    { group: 'staff' },
    { room: '12' },
  ]) {
    await allow('adult.example', 60, 'x', scope)
  }
  assert.equal((await end({ client: '10.0.0.0/8' })).ended, 0)
  const { ended, still_open } = await end({ user: 'ANNA' })
  assert.deepEqual([ended, (still_open as { host: string }).host], [1, 'adult.example'])
  assert.equal((await end({ user: 'anna', client: '10.9.9.9/8' })).ended, 1)
  assert.equal((await end({ room: '12' })).ended, 1)
  assert.deepEqual(await end(), { ended: 2, still_open: null })
})

test('those for everyone are ended alone, and never together with a scope', async (t) => {
  const { allow, administer, state } = await start(t, SCOPED)
  const end = (scope = {}) => administer('permissions/end', { host: 'adult.example', ...scope })
  for (const scope of [{}, { room: '12' }, { user: 'anna' }]) await allow('adult.example', 60, 'x', scope)
  for (const scope of [{ room: '12' }, { user: 'anna' }, { client: '10.0.0.0/8' }, { group: 'staff' }]) {
    const { status, json } = await end({ everyone: true, ...scope })
    assert.deepEqual([status, json.detail], [400, '"everyone" cannot be set with a scope.'])
  }
  assert.equal((await end({ everyone: false })).status, 400)
  assert.equal((await end({ everyone: true })).json.ended, 1)
  assert.equal((await end({ everyone: true })).json.ended, 0)
  assert.deepEqual((await state.permissions()).map(({ room, user }) => room ?? user).toSorted(), ['12', 'anna'])
})

test('what is no network, no user, and no room and no group of the policy is rejected', async (t) => {
  const { allow, administer, state } = await start(t, SCOPED)
  const rejected = [
    ...['', 'room 12', '10.0.0.0/33', 'fe80::1%eth0', '10.0.0.1-10.0.0.9', 7, null, ['10.0.0.0/8']].map((client) => ({
      client,
    })),
    ...['', '-', 'a\u0000', 'x'.repeat(257), 7, null].map((user) => ({ user })),
    ...['', 'Staff', 'nobody', '__proto__', 'x'.repeat(129), null].map((group) => ({ group })),
    ...['', 'exam', 7, null].map((despite) => ({ despite })),
    ...['', '13', '192.168.12.0/24', 12, null].map((room) => ({ room })),
  ]
  for (const scope of rejected) {
    const { status, json } = await allow('adult.example', 60, 'x', scope)
    assert.equal(status, 400, JSON.stringify(scope))
    assert.match(String(json.detail), new RegExp(`^"${Object.keys(scope)}" `))
  }
  const { json } = await allow('adult.example', 60, 'x', { group: 'nobody' })
  assert.equal(json.detail, '"group" must name one of [groups]: "staff".')
  assert.equal(
    (await allow('adult.example', 60, 'x', { despite: 'exam' })).json.detail,
    '"despite" must name a switch of a rule: there is none.',
  )
  const both = { client: '192.168.12.7', room: '12' }
  for (const call of ['permissions/allow', 'permissions/end'] as const) {
    const body = { host: 'adult.example', ...(call === 'permissions/allow' && { minutes: 5, by: 'x' }), ...both }
    const { status, json } = await administer(call, body)
    assert.deepEqual([status, json.detail], [400, 'Either "client" or "room" may be set.'])
  }
  assert.deepEqual(await state.permissions(), [])
})

test('the portal is never closed: by no rule, and by the end of no permission for its name', async (t) => {
  const { verdictOf, allow, end } = await start(t, policy(rule('all', 'block', 'match = ["*"]')))
  const verdicts = async () => [await verdictOf('portal.example'), await verdictOf('other.example')]
  const hosts = ['portal.example', '.portal.example', 'other.example']
  assert.deepEqual(await verdicts(), ['allow', 'block'])
  for (const host of hosts) assert.equal((await allow(host)).status, 200)
  assert.deepEqual(await verdicts(), ['allow', 'allow'])
  for (const host of hosts) {
    assert.equal((await end(host)).ended, 1)
    assert.equal(await verdictOf('portal.example'), 'allow')
  }
  assert.deepEqual(await verdicts(), ['allow', 'block'])
})
