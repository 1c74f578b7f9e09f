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
