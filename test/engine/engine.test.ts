// Decisions and acknowledgements without a socket: users, the default, changes of the policy, several engines.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { VerdictClaims } from '../../src/contract/verdict.ts'
import { seal } from '../../src/contract/verdict-url.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { createStoppedRequests } from '../../src/engine/monitoring/stopped-requests.ts'
import type { Policy } from '../../src/engine/policy/policy.ts'
import { ensureKeyFile } from '../../src/engine/state/key-file.ts'
import { type AddressRange, parseAddressRange } from '../../src/network/address-range.ts'
import { query } from '../support/databases.ts'
import { rule } from '../support/rules.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { openedClaims } from './opened-claims.ts'
import { requestFor as request } from './request-for.ts'
import { configure, policy } from './running-engine.ts'
import { HOUR, newKeys, openEngine } from './state/fixture.ts'

const stopped = createStoppedRequests()

const RULES = `
  ${rule('casino', 'block', 'match = ["casino.example"]')}
  ${rule('news', 'warn', 'match = ["news.example"]')}
  ${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "8036" }')}
  ${rule('firm', 'warn', 'match = ["firm.example"]', 'acknowledge = false')}
`
const { policy: POLICY, portal } = configure(policy(RULES))
const NEWS = 'https://news.example/today?id=7'

/** The policy with one rule changed, or without it. */
function changed(name: string, change: object | undefined): Policy {
  const rules = POLICY.rules.filter((rule) => rule.name !== name || change !== undefined)
  return {
    ...POLICY,
    rules: rules.map((rule) => (rule.name === name ? { ...rule, ...change } : rule)) as Policy['rules'],
  }
}

const withCodes = (override: object) =>
  changed('lab', { override: { prompt: undefined, length: 4, lockoutMs: HOUR, ...override } })
const withCode = (code: string) =>
  withCodes({ type: 'pin', length: code.length, codes: [{ code, expires: undefined }], attempts: 5 })

/** The query of the page that the request is redirected to. */
async function verdictOf(engine: Engine, ...words: Parameters<typeof request>) {
  const decision = await engine.decide(request(...words))
  assert.ok('redirect' in decision, decision.verdict)
  return new URL(decision.redirect).search.slice(1)
}

/** An engine over a database in memory, with a policy and a clock that the test replaces. */
async function startEngine(t: TestContext) {
  const policies = { current: POLICY }
  const time = { ahead: 0 }
  const clock = () => Date.now() + time.ahead
  const keys = await newKeys(t)
  const state = await openEngine(t, { dialect: 'sqlite', path: ':memory:' }, { keys, clock })
  return { policies, time, state, engine: createEngine({ portal, policies, state, keys, stopped, clock }) }
}

test('the portal, a permission, the rules and the default decide in this order', async (t) => {
  const { engine, policies, state } = await startEngine(t)
  const decided = async (url: string) => (await engine.decide(request(url))).verdict
  policies.current = { ...POLICY, default: 'block', rules: [] }
  const blocked = await engine.decide(request('https://any.example/'))
  assert.deepEqual([blocked.verdict, 'rule' in blocked && blocked.rule], ['block', 'default'])
  assert.equal(await decided('https://portal.example/ca'), 'allow')
  for (const host of ['portal.example.test', 'not-portal.example', 'a.portal.example']) {
    assert.equal(await decided(`https://${host}/`), 'block', host)
  }
  policies.current = POLICY
  const allowed = { verdict: 'allow', rule: undefined, session: false }
  assert.deepEqual(await engine.decide(request('https://any.example/')), allowed)
  assert.equal(await decided('https://casino.example:8443/'), 'block')
  await state.permit({ host: 'casino.example', below: true, by: '', milliseconds: HOUR })
  assert.equal(await decided('https://casino.example:8443/'), 'allow')
  assert.equal(await decided('http://www.casino.example./'), 'allow')
})

test('a locked rule stops whatever else would open the request', async (t) => {
  const { engine, policies, state } = await startEngine(t)
  const rules = `
    ${rule('open', 'allow', 'match = [".example"]', 'clients = ["198.51.100.0/24"]')}
    ${rule('news', 'warn', 'match = ["news.example"]')}
    ${rule('adult', 'block', 'match = [".adult.example", "video.example/shorts", "news.example", "portal.example"]', 'except = { users = ["anna"] }', 'locked = true')}
  `
  const { policy: locked } = configure(policy(rules))
  assert.deepEqual(
    locked.rules.map(({ name }) => name),
    ['adult', 'open', 'news'],
  )
  const elsewhere = '203.0.113.9'
  policies.current = locked
  const decided = async (url: string, user?: string, address?: string) => {
    const decision = await engine.decide(request(url, user, address))
    return [decision.verdict, 'rule' in decision && decision.rule]
  }
  policies.current = { ...locked, rules: locked.rules.filter(({ name }) => name === 'news') }
  await engine.acknowledge(await verdictOf(engine, NEWS, undefined, elsewhere), undefined)
  assert.deepEqual(await decided(NEWS, undefined, elsewhere), ['allow', 'news'])
  policies.current = locked
  for (const host of ['www.adult.example', 'video.example', 'news.example']) {
    await state.permit({ host, below: false, by: '', milliseconds: HOUR })
  }
  assert.deepEqual(await decided('https://www.adult.example/'), ['block', 'adult'])
  assert.deepEqual(await decided('https://video.example/SHORTS/1'), ['block', 'adult'])
  assert.deepEqual(await decided('https://video.example/a/../shorts'), ['refuse', false])
  assert.deepEqual(await decided(NEWS), ['block', 'adult'])
  assert.deepEqual(await decided(NEWS, undefined, elsewhere), ['block', 'adult'], 'with a session')
  // What it does not stop, the others open.
  assert.deepEqual(await decided('https://video.example/films'), ['allow', undefined])
  assert.deepEqual(await decided('https://www.adult.example/', 'anna'), ['allow', undefined])
  assert.deepEqual(await decided('https://adult.example/', 'anna'), ['allow', 'open'])
  assert.deepEqual(await decided('https://portal.example/'), ['allow', undefined])
})

test('a permission does not open what a rule with a switch stops, unless it names the switch', async (t) => {
  const { engine, policies, state } = await startEngine(t)
  const rules = `
    ${rule('casino', 'block')}
    ${rule('tests', 'allow', 'match = ["tests.example"]')}
    ${rule('exam', 'block', 'match = ["*"]', 'switch = "exam"')}
    ${rule('quiet', 'warn', 'match = ["video.example"]', 'switch = "quiet"')}
  `
  policies.current = configure(policy(rules)).policy
  const turnOn = (name: string, networks?: readonly AddressRange[]) =>
    state.turnOn({ name, networks, room: undefined, by: '', milliseconds: HOUR })
  const decided = async (host: string, address?: string) => {
    const decision = await engine.decide(request(`https://${host}/`, undefined, address))
    return 'rule' in decision ? `${decision.verdict} ${decision.rule}` : decision.verdict
  }
  const permit = (host: string, despite?: string) =>
    state.permit({ host, below: false, by: '', milliseconds: HOUR, despite })
  for (const host of ['casino.example', 'tests.example', 'video.example']) await permit(host)
  assert.equal(await decided('casino.example'), 'allow undefined')
  await turnOn('exam', [parseAddressRange('198.51.100.0/24') ?? assert.fail()])
  await turnOn('quiet')
  // The first rule has no switch, and hides the one that has.
  assert.equal(await decided('casino.example'), 'block casino')
  assert.equal(await decided('casino.example', '203.0.113.9'), 'allow undefined')
  assert.equal(await decided('tests.example'), 'allow undefined', 'allowed before that rule')
  assert.equal(await decided('video.example'), 'block exam')
  assert.equal(await decided('video.example', '203.0.113.9'), 'warn quiet')
  await permit('video.example', 'quiet')
  assert.equal(await decided('video.example'), 'block exam')
  assert.equal(await decided('video.example', '203.0.113.9'), 'allow undefined')
  await permit('video.example', 'exam')
  assert.equal(await decided('video.example'), 'allow undefined')
})

test('an ambiguous path is refused where a rule names a path, and not what is decided before', async (t) => {
  const { engine, policies, state } = await startEngine(t)
  const everywhere = ['match = ["*/shorts"]', 'except = { clients = ["203.0.113.0/24"] }']
  const rules =
    rule('channel', 'warn', 'match = ["video.example/channel"]') + rule('everywhere', 'block', ...everywhere)
  policies.current = configure(policy(rules)).policy
  const decided = async (url: string, address?: string) =>
    (await engine.decide(request(url, undefined, address))).verdict
  const ambiguous = 'https://video.example/channel/../x'
  await engine.acknowledge(await verdictOf(engine, 'https://video.example/channel'), undefined)
  assert.equal(await decided('https://video.example/channel'), 'allow')
  assert.equal(await decided(ambiguous), 'refuse')
  assert.equal(await decided('https://other.example/a/../x'), 'refuse')
  assert.equal(await decided('https://other.example/a/../x', '203.0.113.7'), 'allow')
  assert.equal(await decided('https://portal.example/a/../x'), 'allow')
  await state.permit({ host: 'video.example', below: false, by: '', milliseconds: HOUR })
  assert.equal(await decided(ambiguous), 'allow')
})

test('only a session that has to be looked up makes a decision wait', async (t) => {
  const { engine } = await startEngine(t)
  for (const host of ['any.example', 'casino.example', 'firm.example', 'portal.example']) {
    assert.ok(!(engine.decide(request(`https://${host}/`)) instanceof Promise), host)
  }
  assert.ok(engine.decide(request(NEWS)) instanceof Promise)
  await engine.acknowledge(await verdictOf(engine, NEWS), undefined)
  assert.deepEqual(engine.decide(request(NEWS)), { verdict: 'allow', rule: 'news', session: true })
})

test('redemption goes by the policy of now', async (t) => {
  const { engine, policies } = await startEngine(t)
  const lab = 'https://lab.example/'
  const cases: [name: string, url: string, code: string | undefined, policy: Policy, kind: string][] = [
    ['the rule has been removed', NEWS, undefined, changed('news', undefined), 'expired'],
    ['it blocks', NEWS, undefined, changed('news', { action: 'block' }), 'expired'],
    ['it asks for a policy to be accepted', NEWS, undefined, changed('news', { action: 'aup' }), 'expired'],
    ['it can no longer be acknowledged', NEWS, undefined, changed('news', { acknowledge: false }), 'expired'],
    ['it asks for no code', lab, '8036', changed('lab', { override: undefined }), 'expired'],
    ['it asks for a longer code', lab, '8036', withCode('80360'), 'expired'],
    ['it asks for another code of that length', lab, '1234', withCode('1234'), 'accepted'],
    ['its other text', NEWS, undefined, changed('news', { description: 'new', sessionMs: 1 }), 'accepted'],
  ]
  for (const [name, url, code, later, kind] of cases) {
    policies.current = POLICY
    const query = await verdictOf(engine, url, `user of ${name}`)
    policies.current = later
    assert.equal((await engine.acknowledge(query, code)).outcome.kind, kind, name)
  }
})

test('each of several codes is right until it expires', async (t) => {
  const { engine, policies, time } = await startEngine(t)
  const expires = Date.now() + HOUR
  const codes = [
    { code: '1111', expires: undefined },
    { code: '2222', expires },
    { code: 'Grüß', expires },
  ]
  policies.current = withCodes({ type: 'passphrase', codes, attempts: 90 })
  const outcome = async (code: string) => {
    const query = await verdictOf(engine, 'https://lab.example/', code)
    return (await engine.acknowledge(query, code)).outcome.kind
  }
  for (const code of ['1111', '2222', 'Grüß'.normalize('NFD')]) assert.equal(await outcome(code), 'accepted', code)
  assert.equal(await outcome('3333'), 'code rejected')
  time.ahead = HOUR
  assert.deepEqual([await outcome('1111'), await outcome('2222')], ['accepted', 'code rejected'])
})

test('another engine with the same key and database redeems, also a URL that is too long for the payload', async (t) => {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'state.db') } as const
  const keys = await newKeys(t)
  const open = async () => {
    const state = await openEngine(t, location, { keys })
    return createEngine({ portal, policies: { current: POLICY }, state, keys, stopped, clock: Date.now })
  }
  const [one, other] = [await open(), await open()]
  const long = `https://news.example/path?q=${'x'.repeat(7000)}`
  const posted = `https://news.example/form?q=${'y'.repeat(7000)}`
  const verdicts = [
    await verdictOf(one, long),
    await verdictOf(one, NEWS, 'alice'),
    await verdictOf(one, posted, 'bob', '198.51.100.7', 'POST'),
  ]
  await until(async () => (await query(location, 'select digest from engine_url')).length > 0)
  const locations = []
  for (const verdict of verdicts) {
    const { outcome } = await other.acknowledge(verdict, undefined)
    locations.push(outcome.kind === 'accepted' ? outcome.location : outcome.kind)
  }
  assert.deepEqual(locations, [long, NEWS, 'https://news.example/form'])
  assert.equal((await one.decide(request(NEWS, 'alice'))).verdict, 'allow')
})

test('a token of the previous key opens until that key is removed', async (t) => {
  const path = join(temporaryFolder(t), 'state.key')
  const [before, after] = [`${'a'.repeat(31)}1`, `${'b'.repeat(31)}2`]
  const engineWith = async (...secrets: string[]) => {
    writeFileSync(path, secrets.join('\n'))
    const keys = await ensureKeyFile(path)
    const state = await openEngine(t, { dialect: 'sqlite', path: ':memory:' }, { keys })
    return createEngine({ portal, policies: { current: POLICY }, state, keys, stopped, clock: Date.now })
  }
  const query = await verdictOf(await engineWith(before), NEWS)
  const kind = async (engine: Engine) => (await engine.acknowledge(query, undefined)).outcome.kind
  assert.equal(await kind(await engineWith(after, before)), 'accepted')
  assert.equal(await kind(await engineWith(after)), 'refused')
})

test('a database that cannot be written to makes acknowledgements unavailable, not decisions', async (t) => {
  const { engine, state } = await startEngine(t)
  await engine.acknowledge(await verdictOf(engine, NEWS), undefined)
  const [news, lab] = [await verdictOf(engine, NEWS, 'alice'), await verdictOf(engine, 'https://lab.example/')]
  await state.close()
  assert.equal((await engine.acknowledge(news, undefined)).outcome.kind, 'unavailable')
  assert.equal((await engine.acknowledge(lab, '8036')).outcome.kind, 'unavailable')
  assert.equal((await engine.decide(request(NEWS))).verdict, 'allow')
  assert.equal((await engine.decide(request(NEWS, 'bob'))).verdict, 'warn')
})

test('an ack_token redeems the destination that it was issued for', async (t) => {
  const { engine } = await startEngine(t)
  const query = new URLSearchParams(await verdictOf(engine, NEWS))
  const claims = openedClaims(String(query.get('p'))) as unknown as VerdictClaims
  const { url } = seal({ ...claims, destination: 'https://news.example/elsewhere' }, '', portal.keyring.sealing)
  const { outcome } = await engine.acknowledge(url.slice(url.indexOf('?') + 1), undefined)
  assert.deepEqual(outcome, { kind: 'refused', reason: 'other ack_token' })
})
