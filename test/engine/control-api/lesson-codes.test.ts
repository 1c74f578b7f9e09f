// Lesson codes over HTTP: created by an administrator, entered by visitors.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rule } from '../../support/rules.ts'
import { openedClaims } from '../opened-claims.ts'
import { policy, startEngine } from '../running-engine.ts'

const override = (content: string) => `override = { ${content} }`
const VIDEO = 'https://video.example/watch?v=1'
const RULES = [
  rule('videos', 'warn', 'match = ["video.example"]', override('type = "pin", length = 5')),
  rule('lab', 'aup', 'match = ["lab.example"]', override('type = "pin", code = "80361942"')),
  rule('archive', 'warn', 'match = ["archive.example"]', override('type = "passphrase", code = "Grüße aus Köln"')),
  rule('open', 'warn', 'match = ["open.example"]'),
  rule('casino', 'block', 'match = ["casino.example"]'),
].join('')

interface Created {
  readonly code: string
  readonly id: string
}

async function start(t: TestContext) {
  const engine = await startEngine(t, policy(RULES))
  const claimsOf = async (url: string) =>
    openedClaims(String(new URLSearchParams(await engine.verdict(url)).get('p'))) as Record<string, unknown>
  return {
    ...engine,
    claimsOf,
    create: async (rule: string, minutes = 50, more = {}) => {
      const { status, json } = await engine.administer('codes/new', { rule, minutes, ...more })
      assert.equal(status, 200, String(json.detail))
      return json as unknown as Created
    },
    enter: async (url: string, code: string, client?: string) =>
      await engine.acknowledge(await engine.verdict(url, client), code),
  }
}

test('a rule without a code in force shows a page without a way to proceed', async (t) => {
  const { claimsOf, create, enter, decide, pass, administer } = await start(t)
  const terminal = async () => {
    const { ack_token, override, session_seconds } = await claimsOf(VIDEO)
    return [ack_token, override, session_seconds].every((claim) => claim === undefined)
  }
  assert.ok(await terminal())
  const { code, id } = await create('videos', 50)
  assert.match(code, /^[0-9]{5}$/)
  const open = await claimsOf(VIDEO)
  assert.deepEqual(open.override, { type: 'pin', length: 5 })
  assert.equal(open.session_seconds, 50 * 60, 'no longer than the code')
  pass(49 * 60 + 30)
  assert.equal((await claimsOf(VIDEO)).session_seconds, 60, 'the least of the protocol')
  const accepted = await enter(VIDEO, code)
  assert.deepEqual([accepted.status, accepted.headers.location], [302, VIDEO])
  assert.equal((await decide(VIDEO)).json.verdict, 'allow')
  pass(30)
  assert.equal((await decide(VIDEO)).json.verdict, 'warn', 'the session ends with its code')
  assert.ok(await terminal())

  const next = await create('videos')
  await enter(VIDEO, next.code)
  assert.equal((await administer('codes/end', { id: next.id })).json.ended, 1)
  assert.equal((await decide(VIDEO)).json.verdict, 'warn')
  assert.ok(await terminal())
  for (const ended of [id, next.id, next.code]) {
    assert.equal((await administer('codes/end', { id: ended })).json.ended, 0)
  }
})

test('it has the type and length of the codes of its rule, which remain valid', async (t) => {
  const { create, enter, claimsOf } = await start(t)
  const lab = 'https://lab.example/'
  const archive = 'https://archive.example/'
  const { code } = await create('lab')
  assert.match(code, /^[0-9]{8}$/)
  const passphrase = (await create('archive')).code
  assert.match(passphrase, /^[a-hjkmnp-z2-9]{12}$/)
  assert.equal((await claimsOf(lab)).session_seconds, 3600)
  assert.equal((await enter(lab, passphrase, '203.0.113.1')).status, 403)
  assert.equal((await enter(archive, code, '203.0.113.1')).status, 403)
  for (const [url, right, client] of [
    [lab, code, '203.0.113.2'],
    [lab, '80361942', '203.0.113.3'],
    [archive, passphrase, '203.0.113.2'],
    [archive, 'Grüße aus Köln', '203.0.113.3'],
  ] as const) {
    assert.equal((await enter(url, right, client)).status, 302, right)
  }
})

test('wrong codes count for lesson codes, too; a right one of several takes back only itself', async (t) => {
  const { create, verdict, acknowledge } = await start(t)
  const { code } = await create('videos')
  const other = await create('videos')
  const wrong = ['00000', '11111', '22222', '33333', '44444', '55555', '66666'].filter(
    (one) => one !== code && one !== other.code,
  )
  const query = await verdict(VIDEO)
  const left = async (guess: string) => {
    const { status, json } = await acknowledge(query, guess)
    return status === 403 ? json.attempts_remaining : status
  }
  const [a = '', b = '', c = '', d = '', e = ''] = wrong
  assert.deepEqual([await left(a), await left(b), await left(c)], [4, 3, 2])
  assert.equal(await left(code), 302)
  assert.deepEqual([await left(d), await left(e)], [1, 429])
  assert.equal(await left(other.code), 429)
})

test('the audit log has its id, and never the code', async (t) => {
  const { create, enter, administer, logged, logText } = await start(t)
  const { code, id } = await create('videos', 50, { by: 'Ms Rossi <script>' })
  await enter(VIDEO, code)
  assert.deepEqual((await administer('codes/list', {})).json, {
    codes: [
      {
        ...{ id, rule: 'videos', by: 'Ms Rossi <script>' },
        ...{ created_at: '2027-01-15T08:00:00Z', expires_at: '2027-01-15T08:50:00Z' },
      },
    ],
    more: false,
  })
  await administer('codes/end', { id })
  const about = logged().filter(({ lessonCode }) => lessonCode === id)
  assert.deepEqual(
    about.map(({ event, rule }) => [event, rule]),
    [
      ['code.created', 'videos'],
      ['acknowledgement', 'videos'],
      ['code.ended', 'videos'],
    ],
  )
  assert.deepEqual([about[0]?.by, about[0]?.until], ['Ms Rossi <script>', '2027-01-15T08:50:00Z'])
  assert.ok(!logText().includes(code))
})

test('a rule that asks for no code, and what is no rule or duration, is refused', async (t) => {
  const { administer, state } = await start(t)
  for (const [body, detail] of [
    [{ rule: 'video', minutes: 1 }, 'The policy has no rule "video".'],
    [{ rule: 'open', minutes: 1 }, 'The rule "open" asks for no code: it has no override.'],
    [{ rule: 'casino', minutes: 1 }, 'The rule "casino" asks for no code: it has no override.'],
    [{ rule: 'videos', minutes: 0 }, '"minutes" must be a whole number from 1 to 44640.'],
    [{ rule: 'videos' }, '"minutes" must be set.'],
    [{ rule: 'videos', minutes: 1, by: '' }, '"by" must be text of 1 to 128 bytes without control characters.'],
    [{ rule: 'videos', minutes: 1, code: '12345' }, '"code" is not a member of this call.'],
  ] as const) {
    const { status, json } = await administer('codes/new', body)
    assert.deepEqual([status, json.detail], [400, detail])
  }
  assert.deepEqual(await state.lessonCodesInForce(), [])
})

test('a code is in force while its rule requires codes of its type and length', async (t) => {
  const { create, enter, claimsOf, write, policies } = await start(t)
  const { code } = await create('videos')
  const reload = async (length: number) => {
    await write(policy(RULES.replace('length = 5', `length = ${length}`)))
    assert.equal((await policies.reload()).result, 'loaded')
  }
  await reload(6)
  assert.equal((await claimsOf(VIDEO)).ack_token, undefined)
  await reload(5)
  assert.equal((await enter(VIDEO, code)).status, 302)
})
