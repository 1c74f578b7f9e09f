// Why a request is decided as it is. Whatever an administration call gets, it answers with a result or a problem document.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { HOSTILE_RULE, HOSTILE_USER } from '../../../support/hostile.ts'
import { propertyRuns } from '../../../support/property-runs.ts'
import { rule } from '../../../support/rules.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { startEngine } from '../../running-engine.ts'
import { FILES, RULES } from './policy.ts'

const CLIENT = '198.51.100.7'
const start = (t: TestContext) => startEngine(t, RULES, { files: FILES })

test('by URL: the rule with its line, the list and its entry, and the rules that do not match', async (t) => {
  const engine = await start(t)
  const why = async (body: object) => (await engine.administer('why', { client: CLIENT, ...body })).json
  const listed = await why({ url: 'http://www.BÜCHER.example:8080/a?b', user: 'Anna', method: 'POST' })
  assert.deepEqual(listed.request, {
    url: 'http://www.xn--bcher-kva.example:8080/a?b',
    host: 'www.xn--bcher-kva.example',
    method: 'POST',
    client: CLIENT,
    user: 'anna',
    at: '2027-01-15T08:00:00Z',
  })
  assert.deepEqual(
    [listed.verdict, listed.because, listed.list, listed.entry, listed.pattern],
    ['block', 'rule', 'adult', 'xn--bcher-kva.example', null],
  )
  const line = RULES.split('\n').findIndex((text) => text.includes('"adults"'))
  assert.deepEqual(listed.rule, {
    name: 'adults',
    action: 'block',
    line,
    description: '',
    category: null,
    can_be_acknowledged: false,
    locked: false,
    switch: null,
  })
  const [tried] = listed.tried as Record<string, unknown>[]
  assert.equal(tried?.rule, 'bank')
  assert.match(String(tried?.mismatches), /^match: no pattern covers www\.xn--bcher-kva\.example/)

  const matched = await why({ url: 'https://a.bank.example/' })
  assert.deepEqual(
    [matched.verdict, matched.because, matched.pattern, matched.list],
    ['allow', 'rule', '.bank.example', null],
  )
  const nothing = await why({ url: 'https://weather.example/' })
  assert.deepEqual([nothing.verdict, nothing.because, nothing.rule, nothing.ruled], ['allow', 'default', null, null])
  assert.deepEqual(listed.ruled, {
    by: 'rule',
    rule: { name: 'adults', line },
    ...{ pattern: null, list: 'adult', entry: 'xn--bcher-kva.example' },
  })
  assert.equal((nothing.tried as unknown[]).length, 6)
  const portal = await why({ url: 'https://portal.example/blocked' })
  assert.deepEqual([portal.verdict, portal.because, portal.changes], ['allow', 'portal', []])
})

test('an ambiguous path: for which rule it is refused, and what is compared elsewhere', async (t) => {
  const shorts = rule('shorts', 'block', 'match = ["video.example/shorts"]')
  const engine = await startEngine(t, RULES.replace('[[rules]]', `${shorts}[[rules]]`), { files: FILES })
  const why = async (url: string) => (await engine.administer('why', { url, client: CLIENT })).json
  const url = 'https://video.example/shorts/ID/../..?x'
  const refused = await why(url)
  assert.deepEqual([refused.verdict, refused.because, refused.pattern, refused.changes], ['refuse', 'path', null, []])
  assert.equal((refused.rule as { name: string }).name, 'shorts')
  assert.equal((refused.request as { url: string }).url, url)
  const elsewhere = await why('https://adult.example/a/../b')
  assert.deepEqual([elsewhere.verdict, elsewhere.because], ['block', 'rule'])

  // By reference, too, it is the path as it was sent.
  for (const sent of ['https://video.example/a/..%2fshorts', 'https://adult.example/a/../b?c']) {
    const { reference } = (await engine.decide(sent)).json
    const found = (await engine.administer('why', { reference })).json
    assert.deepEqual([found.verdict, (found.request as { url: string }).url], ['block', sent])
  }

  await engine.administer('permissions/allow', { host: 'video.example', minutes: 5, by: 'Ms Rossi' })
  assert.deepEqual([(await why(url)).verdict, (await why(url)).because], ['allow', 'permission'])
})

test('by user and time: schedules, and what of a rule does not match', async (t) => {
  const engine = await start(t)
  const why = async (body: object) => (await engine.administer('why', { client: CLIENT, ...body })).json
  const games = { url: 'https://games.example/' }
  assert.equal((await why({ ...games, at: '2026-11-20T08:00:00+01:00' })).verdict, 'block')
  assert.equal((await why({ ...games, at: '2026-11-20T14:59:59.999Z' })).verdict, 'block')
  const evening = await why({ ...games, at: '2026-11-20T15:00:00Z' })
  assert.equal(evening.verdict, 'allow')
  const tried = (evening.tried as { rule: string; mismatches: string[] }[]).find(({ rule }) => rule === 'games')
  assert.match(String(tried?.mismatches), /^when: /)

  const evil = await why({ url: 'https://evil.example/', user: HOSTILE_USER.toUpperCase() })
  assert.deepEqual([evil.verdict, (evil.rule as { name: string }).name], ['warn', HOSTILE_RULE])
  assert.equal((await why({ url: 'https://evil.example/' })).verdict, 'allow')
})

test('at present, a permission and a session come into it', async (t) => {
  const engine = await start(t)
  const why = async (url: string, more = {}) => (await engine.administer('why', { url, client: CLIENT, ...more })).json
  assert.equal((await why('https://news.example/')).verdict, 'warn')
  assert.equal((await engine.acknowledge(await engine.verdict('https://news.example/', CLIENT))).status, 302)
  const session = await why('https://news.example/')
  assert.deepEqual([session.verdict, session.because], ['allow', 'session'])
  assert.deepEqual((await why('https://news.example/', { client: '198.51.100.8' })).verdict, 'warn')
  assert.deepEqual((await why('https://news.example/', { at: '2026-11-20T08:00Z' })).verdict, 'warn')

  await engine.administer('permissions/allow', { host: 'adult.example', minutes: 5, by: 'Ms Rossi' })
  const permitted = await why('https://adult.example/')
  assert.deepEqual([permitted.verdict, permitted.because], ['allow', 'permission'])
  assert.equal((permitted.permission as { by: string }).by, 'Ms Rossi')
  assert.equal((permitted.rule as { name: string }).name, 'adults')
})

test('locked rules, and permissions that do not open the request', async (t) => {
  const locked = rule('locked', 'block', 'match = ["locked.example"]', 'locked = true')
  const toml = `${RULES}${locked}[groups]\nstaff = { users = ["anna"] }\n`
  const engine = await startEngine(t, toml, { files: FILES })
  const why = async (body: object) => (await engine.administer('why', { client: CLIENT, ...body })).json
  for (const [host, scope] of [
    ['locked.example', {}],
    ['adult.example', { group: 'staff' }],
    ['adult.example', { client: '10.0.0.0/8', user: 'ben' }],
  ] as const) {
    assert.equal((await engine.administer('permissions/allow', { host, minutes: 5, by: 'x', ...scope })).status, 200)
  }
  const others = ({ other_permissions: others }: Record<string, unknown>) =>
    (others as { mismatches: string[] }[]).map(({ mismatches }) => mismatches)
  const closed = await why({ url: 'https://locked.example/' })
  assert.deepEqual([closed.verdict, closed.because, closed.permission], ['block', 'rule', null])
  assert.equal((closed.rule as { locked: boolean }).locked, true)
  assert.deepEqual(others(closed), [['the rule "locked" is locked: nothing opens it']])

  const stranger = await why({ url: 'https://adult.example/', user: 'cora' })
  assert.equal(stranger.verdict, 'block')
  assert.deepEqual(others(stranger), [
    ['group: the user is "cora", not in "staff"'],
    ['client: 198.51.100.7 is not in 10.0.0.0/8', 'user: the user is "cora", not "ben"'],
  ])
  const member = await why({ url: 'https://adult.example/', user: 'anna' })
  assert.deepEqual([member.verdict, member.because, others(member)], ['allow', 'permission', []])
  assert.equal((member.permission as { group: string }).group, 'staff')
  const { reference } = (await engine.decide('https://adult.example/', CLIENT)).json
  const stopped = (await engine.administer('why', { reference })).json
  assert.equal(stopped.verdict, 'block')
  assert.equal(others(stopped)[0]?.[0], 'group: the proxy names no user, not in "staff"')
  assert.deepEqual(others(await why({ url: 'https://adult.example/', at: '2026-11-20T08:00Z' })), [])
  assert.deepEqual(others(await why({ url: 'https://portal.example/' })), [])
})

test('by reference: what decided then, also after the policy has changed', async (t) => {
  const engine = await start(t)
  const { reference } = (await engine.decide('https://adult.example/secret-path', CLIENT, HOSTILE_USER)).json
  engine.pass(3600)
  const found = (await engine.administer('why', { reference })).json
  const stopped = {
    reference,
    at: '2027-01-15T08:00:00Z',
    verdict: 'block',
    rule: 'adults',
    ...{ pattern: null, list: 'adult', entry: 'adult.example' },
    ...{ from: 'memory', client: CLIENT, user: HOSTILE_USER, pseudonyms: false, acknowledgements: null },
  }
  assert.deepEqual(found.stopped, stopped)
  const { url, client, user, at } = found.request as Record<string, unknown>
  assert.deepEqual([url, client, user, at], ['https://adult.example/secret-path', CLIENT, HOSTILE_USER, stopped.at])
  assert.deepEqual([found.verdict, (found.rule as { name: string }).name], ['block', 'adults'])

  await engine.write('other.example\nthird.example\n', 'adult.txt')
  await engine.administer('reload', {})
  const later = (await engine.administer('why', { reference })).json
  assert.deepEqual([later.stopped, later.verdict, later.because], [stopped, 'allow', 'default'])
  assert.ok(!engine.logText().includes('secret-path'))

  // An allowed request is not kept.
  assert.equal((await engine.decide('https://weather.example/')).json.reference, undefined)
  assert.equal((await engine.administer('status', {})).json.stopped_in_memory, 1)
})

test('malformed questions', async (t) => {
  const engine = await start(t)
  const good = { url: 'https://news.example/', client: CLIENT }
  const times = 'yesterday 2026-11-20 2026-11-20T08:00 +275760-09-13T00:00Z -000001-01-01T00:00Z 1969-12-31T23:59Z'
  const rejected: [object, number, RegExp][] = [
    [{}, 400, /"client"/],
    [{ ...good, url: 'javascript:alert(1)' }, 400, /"url"/],
    [{ ...good, url: `https://x.example/${'x'.repeat(9000)}` }, 400, /"url"/],
    [{ ...good, client: 7 }, 400, /"client"/],
    [{ ...good, user: 'a\u0000' }, 400, /"user"/],
    [{ ...good, method: 'GET /' }, 400, /"method"/],
    ...[...times.split(' '), 5].map((at): [object, number, RegExp] => [{ ...good, at }, 400, /^"at" must be a time/]),
    [{ ...good, nonsense: 1 }, 400, /"nonsense"/],
    [{ ...good, reference: 'x' }, 400, /"reference"/],
    [{ reference: 7 }, 400, /"reference" must be a string/],
    [{ reference: 'x'.repeat(65) }, 400, /"reference"/],
    [{ reference: 'nonsense' }, 404, /10,000/],
  ]
  for (const [body, status, detail] of rejected) {
    const answer = await engine.administer('why', body)
    assert.equal(answer.status, status, JSON.stringify(body))
    assert.match(String(answer.json.detail), detail)
  }
})

const TEXTS = [
  ...[
    "' or 1=1 --",
    '',
    '\u0000',
    '\ud800',
    '\u202e',
    'a'.repeat(300),
    `https://${'a.'.repeat(130)}x/`,
    HOSTILE_RULE,
    HOSTILE_USER,
  ],
  ...'* . .. % news 198.51.100.7 ::1 ::ffff:1.2.3.4 fe80::1%x 2001:db8::/64 1.2.3.4/64 999.1.1.1 xn-- xn--a [::1]'.split(
    ' ',
  ),
  ...'https://adult.example/ https://[::1]/ http://1.2.3.4:99999/ https://a\\b/ adult.example .adult.example'.split(
    ' ',
  ),
  ...'2026-11-20T08:00Z 9999-12-31T23:59:59Z 1970-01-01T00:00Z 2026-13-01T00:00Z 2026-11-20T08:00+99:99'.split(' '),
]
const hostile = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(...TEXTS))
const value = fc.oneof({ weight: 4, arbitrary: hostile }, { weight: 1, arbitrary: fc.jsonValue() })
const members = [
  ...['url', 'client', 'user', 'method', 'at', 'reference', 'rule', 'all', 'limit', 'host', 'minutes', 'by'],
  ...['group', 'despite', 'room', 'switch', 'everyone', 'id', 'since', 'after'],
]
const body = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.dictionary(fc.constantFrom(...members, '__proto__', 'constructor'), value, { maxKeys: 4 }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
)
const CALLS = [
  ...['status', 'why', 'stopped', 'sessions/list', 'sessions/end', 'lockouts/list', 'lockouts/end'],
  ...['permissions/allow', 'permissions/list', 'permissions/end', 'rules'],
  ...['switches/on', 'switches/list', 'switches/off', 'codes/new', 'codes/list', 'codes/end'],
]

test('any body gets a result or a problem document', async (t) => {
  const journal = { dialect: 'sqlite', path: join(temporaryFolder(t), 'journal.db') } as const
  const engine = await startEngine(t, RULES, { files: FILES, journal })
  let results = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CALLS), body, async (call, given) => {
      const { status, headers, json } = await engine.administer(call, given as object)
      assert.ok([200, 400, 404].includes(status), `${status}`)
      const type = status === 200 ? 'application/json' : 'application/problem+json'
      assert.equal(headers['content-type'], type)
      if (status === 200) results += 1
      else assert.ok(String(json.detail).length < 400, String(json.detail))
    }),
    propertyRuns(1500),
  )
  assert.ok(results > 5, `${results} of the bodies were accepted`)
  assert.ok(!engine.logText().includes('unexpected error'))
})

test('`why` names the rule that the decision names, and so does the reference', async (t) => {
  const engine = await start(t)
  const names = ['adult.example', 'news.example', 'evil.example', 'games.example', 'a.bank.example', 'x.example']
  const host = fc.constantFrom(...names)
  const url = fc
    .tuple(fc.constantFrom('', 'www.', 'a.b.'), host, fc.webPath())
    .map((parts) => `https://${parts.join('')}`)
  const user = fc.constantFrom(undefined, 'anna', HOSTILE_USER)
  await fc.assert(
    fc.asyncProperty(url, user, fc.integer({ min: 0, max: 86_400 }), async (url, user, seconds) => {
      engine.pass(seconds)
      const decided = (await engine.decide(url, CLIENT, user)).json
      const why = (await engine.administer('why', { url, client: CLIENT, user })).json
      assert.equal(why.verdict, decided.verdict)
      if (decided.verdict === 'allow') return
      assert.equal((why.rule as { name: string }).name, decided.rule)
      const later = (await engine.administer('why', { reference: decided.reference })).json
      assert.deepEqual([later.request, later.verdict, later.rule], [why.request, why.verdict, why.rule])
    }),
    propertyRuns(300),
  )
})
