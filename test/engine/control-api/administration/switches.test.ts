// Switches: off by default, turned on for a room, a network or everyone, named in the audit log.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rule } from '../../../support/rules.ts'
import { openedClaims } from '../../opened-claims.ts'
import { NOW, policy, startEngine } from '../../running-engine.ts'

const ROOMS = '[rooms]\n12 = ["192.168.12.0/24", "2001:db8:12::/64"]\nlibrary = ["192.168.40.0/24"]\n'
const RULES = `
  ${rule('exam-tools', 'allow', 'match = [".exam.example"]')}
  ${rule('exam', 'block', 'switch = "exam"')}
  ${rule('games', 'block', 'match = ["games.example"]', 'switch = "no-games"')}
  ${rule('free', 'allow', 'switch = "free"', 'match = ["news.example"]')}
  ${rule('news', 'block', 'match = ["news.example"]')}`

async function start(t: TestContext) {
  const engine = await startEngine(t, policy(`${RULES}${ROOMS}`))
  return {
    ...engine,
    verdictOf: async (client: string, host = 'any.example') =>
      (await engine.decide(`https://${host}/`, client)).json.verdict,
    on: (body: object) => engine.administer('switches/on', { switch: 'exam', minutes: 60, by: 'Ms Rossi', ...body }),
    off: async (body: object) => (await engine.administer('switches/off', { switch: 'exam', ...body })).json,
    list: async () => (await engine.administer('switches/list', {})).json,
    events: () => engine.logged().filter(({ event }) => String(event).startsWith('switch.')),
  }
}

const PUPIL = '192.168.12.7'
const READER = '192.168.40.7'

test('a rule with a switch is off by default, and on for the room until the switch ends', async (t) => {
  const { verdictOf, on, list, pass, events, administer } = await start(t)
  assert.equal(await verdictOf(PUPIL), 'allow')
  const { status, json } = await on({ room: '12', minutes: 180 })
  assert.equal(status, 200)
  const times = { by: 'Ms Rossi', created_at: '2027-01-15T08:00:00Z', expires_at: '2027-01-15T11:00:00Z' }
  const switches = ['192.168.12.0/24', '2001:db8:12::/64'].map((network) => {
    return { switch: 'exam', network, room: '12', ...times }
  })
  assert.deepEqual(json, { switches })
  assert.deepEqual(await list(), { switches, names: ['exam', 'no-games', 'free'], more: false })
  for (const client of [PUPIL, '2001:db8:12::7']) assert.equal(await verdictOf(client), 'block')
  assert.equal(await verdictOf(PUPIL, 'tools.exam.example'), 'allow')
  for (const client of [READER, '2001:db8:13::7']) assert.equal(await verdictOf(client), 'allow')
  const first = events()[0] ?? {}
  const { event, from, room, network, by, until } = first
  assert.deepEqual([event, from, first.switch], ['switch.on', '127.0.0.1', 'exam'])
  assert.deepEqual([room, network, by, until], ['12', '192.168.12.0/24', 'Ms Rossi', '2027-01-15T11:00:00Z'])

  const { json: why } = await administer('why', { url: 'https://any.example/', client: PUPIL })
  assert.deepEqual([why.verdict, (why.rule as { name: string }).name], ['block', 'exam'])
  const later = await administer('why', { url: 'https://any.example/', client: PUPIL, at: '2027-01-15T09:00:00Z' })
  assert.equal(later.json.verdict, 'allow', 'at a given time no switch is on')
  const { tried } = (await administer('why', { url: 'https://any.example/', client: READER })).json
  const [, exam] = tried as { mismatches: string[] }[]
  assert.deepEqual(exam?.mismatches, ['switch: "exam" is off for 192.168.40.7'])

  pass(180 * 60 - 1)
  assert.equal(await verdictOf(PUPIL), 'block')
  pass(1)
  assert.equal(await verdictOf(PUPIL), 'allow')
  assert.deepEqual((await list()).switches, [])
})

test('turned off for exactly what it was turned on for, or everywhere', async (t) => {
  const { verdictOf, on, off, events } = await start(t)
  await on({ room: '12' })
  await on({ client: '192.168.40.9/24' })
  assert.deepEqual([await verdictOf(PUPIL), await verdictOf(READER)], ['block', 'block'])
  const networks = ({ still_on }: Record<string, unknown>) =>
    (still_on as { network: string | null }[]).map(({ network }) => network)
  const nothing = await off({ client: READER })
  assert.deepEqual([nothing.ended, networks(nothing).length], [0, 3])
  const library = await off({ room: 'library' })
  assert.deepEqual([library.ended, networks(library)], [1, ['192.168.12.0/24', '2001:db8:12::/64']])
  assert.deepEqual([await verdictOf(PUPIL), await verdictOf(READER)], ['block', 'allow'])
  await on({ everyone: true })
  assert.equal(await verdictOf(READER), 'block')
  const room = await off({ room: '12' })
  assert.deepEqual([room.ended, networks(room)], [2, [null]])
  assert.equal(await verdictOf(PUPIL), 'block', 'for everyone')
  await on({ room: '12' })
  assert.equal((await off({ all: true })).ended, 3)
  assert.deepEqual([await verdictOf(PUPIL), await verdictOf(READER)], ['allow', 'allow'])
  assert.equal(events().filter(({ event }) => event === 'switch.off').length, 6)
})

test('a switch that no rule has is refused, as is a command without a scope, or with two', async (t) => {
  const { on, off, administer, state } = await start(t)
  const unknown = await on({ switch: 'Exam', everyone: true })
  assert.equal(unknown.status, 400)
  assert.equal(unknown.json.detail, 'No rule has the switch "Exam": the switches are "exam", "no-games", "free".')
  const rejected = [
    ...[{}, { room: '12', everyone: true }, { client: PUPIL, room: '12' }, { everyone: false }, { everyone: 'yes' }],
    ...[{ room: '13' }, { room: 12 }, { client: '192.168.12' }, { client: '192.168.12.0/33' }, { client: '*' }],
    ...[0, 1.5, 44_641, '60'].map((minutes) => ({ everyone: true, minutes })),
    ...['', 'a\nb', undefined].map((by) => ({ everyone: true, by })),
    { everyone: true, all: true },
  ]
  for (const body of rejected) {
    const { status, json } = await on(body)
    assert.equal(status, 400, JSON.stringify(body))
    assert.match(String(json.detail), /^("\w+" |Set exactly one of )/, JSON.stringify(body))
  }
  assert.match(String((await off({})).detail), /^Set exactly one of "room", "client", "everyone" and "all"\.$/)
  assert.match(String((await off({ all: true, everyone: true })).detail), /^Set exactly one of /)
  assert.equal((await administer('switches/list', { limit: 0 })).status, 400)
  assert.deepEqual(await state.switchesOn(), [])
})

test('the page names the end of the switch, if the same request is then allowed', async (t) => {
  const { on, verdict, pass } = await start(t)
  const opens = async (host: string, client = PUPIL) =>
    openedClaims(String(new URLSearchParams(await verdict(`https://${host}/`, client)).get('p'))).opens_at
  await on({ room: '12', minutes: 180 })
  await on({ switch: 'no-games', everyone: true, minutes: 240 })
  assert.equal(await opens('any.example'), NOW + 180 * 60)
  assert.equal(await opens('games.example'), NOW + 240 * 60, 'another switch stops it until then')
  assert.equal(await opens('news.example'), undefined, 'blocked afterwards, too')
  await on({ everyone: true, minutes: 200 })
  assert.equal(await opens('any.example'), NOW + 200 * 60)
  pass(0.5)
  await on({ everyone: true, minutes: 60 * 48 })
  assert.equal(await opens('any.example'), undefined, 'in more than 36 hours')
})
