// Opening a host for a time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { policy, startEngine } from '../../running-engine.ts'
import { FILES, RULES } from './policy.ts'

test('a permission opens its host and nothing else, is logged with its name, and expires by itself', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  const verdictOf = async (url: string) => (await engine.decide(url)).json.verdict
  assert.equal(await verdictOf('https://adult.example/'), 'block')
  const { status, json } = await engine.administer('permissions/allow', {
    host: 'Adult.Example',
    minutes: 120,
    by: 'Ms Rossi <script>',
  })
  assert.equal(status, 200)
  assert.deepEqual(json, {
    host: 'adult.example',
    by: 'Ms Rossi <script>',
    created_at: '2027-01-15T08:00:00Z',
    expires_at: '2027-01-15T10:00:00Z',
  })
  assert.equal(await verdictOf('https://adult.example/any'), 'allow')
  assert.equal(await verdictOf('https://www.adult.example/'), 'block')
  assert.equal(await verdictOf('https://news.example/'), 'warn')
  const [line] = engine.logged().filter(({ msg }) => msg === 'permission granted')
  assert.deepEqual([line?.by, line?.host, line?.from], ['Ms Rossi <script>', 'adult.example', '127.0.0.1'])

  engine.pass(2 * 3600 - 1)
  assert.equal(await verdictOf('https://adult.example/'), 'allow')
  engine.pass(1)
  assert.equal(await verdictOf('https://adult.example/'), 'block')
  assert.deepEqual((await engine.administer('permissions/list', {})).json, { permissions: [], more: false })
})

test('with all hosts below; listed by what expires first; ended by the host', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  for (const [host, minutes] of [
    ['.adult.example', 60],
    ['adult.example', 30],
    ['bücher.example', 10],
    ['adult.example', 20],
  ] as const) {
    assert.equal((await engine.administer('permissions/allow', { host, minutes, by: 'x' })).status, 200)
  }
  const listed = async (body = {}) => (await engine.administer('permissions/list', body)).json
  const hosts = ((await listed()).permissions as { host: string }[]).map(({ host }) => host)
  assert.deepEqual(hosts, ['xn--bcher-kva.example', 'adult.example', 'adult.example', '.adult.example'])
  assert.equal((await listed({ limit: 3 })).more, true)
  assert.equal((await engine.decide('https://a.b.adult.example/')).json.verdict, 'allow')

  const { json } = await engine.administer('permissions/end', { host: 'ADULT.example' })
  assert.equal(json.ended, 2)
  assert.equal((json.still_open as { host: string }).host, '.adult.example')
  assert.equal((await engine.decide('https://adult.example/')).json.verdict, 'allow')
  const last = await engine.administer('permissions/end', { host: '.adult.example' })
  assert.deepEqual(last.json, { ended: 1, still_open: null })
  assert.equal((await engine.decide('https://adult.example/')).json.verdict, 'block')
  assert.deepEqual((await engine.administer('permissions/end', { host: '.adult.example' })).json.ended, 0)
  assert.equal(engine.logged().filter(({ msg }) => msg === 'permission ended').length, 3)
})

test('what is no host, no duration or no name is rejected', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  const good = { host: 'adult.example', minutes: 1, by: 'x' }
  const hosts = [
    '*',
    '*.adult.example',
    'adult.example/path',
    'https://adult.example',
    'adult.example:8443',
    'adult.example/',
    '192.0.2.0/24',
    '192.168.1',
    '',
    'a b',
    'x\u0000y',
    '.10.0.0.1',
    7,
  ]
  for (const body of [
    ...hosts.map((host) => ({ ...good, host })),
    ...[0, -1, 1.5, 44_641, '60', null, 1e300].map((minutes) => ({ ...good, minutes })),
    ...['', 'x'.repeat(129), 'a\nb', 7, null].map((by) => ({ ...good, by })),
    { ...good, reason: 'x' },
    { host: 'adult.example', minutes: 1 },
  ]) {
    const { status, json } = await engine.administer('permissions/allow', body)
    assert.equal(status, 400, JSON.stringify(body))
    assert.match(String(json.detail), /^"(host|minutes|by|reason)" /)
  }
  assert.deepEqual(await engine.state.permissions(), [])
})

test('the portal is never closed: by no rule, and by the end of no permission for its name', async (t) => {
  const everything = '\n[[rules]]\nname = "all"\nmatch = ["*"]\naction = "block"\n'
  const engine = await startEngine(t, policy(everything))
  const verdictOf = async (host: string) => (await engine.decide(`https://${host}/`)).json.verdict
  const verdicts = async () => [await verdictOf('portal.example'), await verdictOf('other.example')]
  assert.deepEqual(await verdicts(), ['allow', 'block'])
  for (const host of ['portal.example', '.portal.example', 'other.example']) {
    assert.equal((await engine.administer('permissions/allow', { host, minutes: 1, by: 'x' })).status, 200)
  }
  assert.deepEqual(await verdicts(), ['allow', 'allow'])
  for (const host of ['portal.example', '.portal.example', 'other.example']) {
    assert.equal((await engine.administer('permissions/end', { host })).json.ended, 1)
    assert.equal(await verdictOf('portal.example'), 'allow')
  }
  assert.deepEqual(await verdicts(), ['allow', 'block'])
})

test('a permission survives the policy’s reload', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  await engine.administer('permissions/allow', { host: 'adult.example', minutes: 60, by: 'x' })
  await engine.write('adult.example\nother.example\n', 'adult.txt')
  assert.equal((await engine.administer('reload', {})).json.result, 'loaded')
  assert.equal((await engine.decide('https://other.example/')).json.verdict, 'block')
  assert.equal((await engine.decide('https://adult.example/')).json.verdict, 'allow')
})
