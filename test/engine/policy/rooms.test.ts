// Rooms: which addresses are in one, for rules and for administration.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../../src/engine/policy/explain/explain.ts'
import { findRule } from '../../../src/engine/policy/policy.ts'
import { exampleAddress, isInRoom } from '../../../src/engine/policy/room.ts'
import { addressWords } from '../../../src/network/address-range.ts'
import { rule } from '../../support/rules.ts'
import { subjectFor } from '../request-for.ts'
import { configure, policy, startEngine } from '../running-engine.ts'

const ROOMS = `
[rooms]
12 = ["192.168.12.0/24", "2001:db8:12::/64"]
library = ["192.168.12.128/25", "::ffff:192.168.40.0/120"]
`

test('a rule is about the rooms that it names, also where two of them overlap; exceptions, too', () => {
  const { policy: loaded } = configure(
    policy(`${ROOMS}
      ${rule('exam', 'block', 'rooms = ["12"]', 'match = ["*"]', 'except = { rooms = ["library"] }')}
      ${rule('games', 'warn', 'rooms = ["library"]', 'match = ["games.example"]')}`),
  )
  const ruleOf = (address: string) => findRule(loaded, subjectFor('https://games.example/', { address }))?.rule.name
  for (const [address, expected] of [
    ['192.168.12.5', 'exam'],
    ['::ffff:192.168.12.5', 'exam'],
    ['2001:db8:12::5', 'exam'],
    ['192.168.12.130', 'games'],
    ['192.168.40.9', 'games'],
    ['192.168.13.5', undefined],
    ['2001:db8:12:1::5', undefined],
    // Another address, however it is spelt: no IPv4 one in an IPv6 one but the mapped.
    ['::192.168.12.5', undefined],
  ] as const) {
    assert.equal(ruleOf(address), expected, address)
  }
  const [tried] = explain(loaded, subjectFor('https://games.example/', { address: '10.0.0.1' })).tried
  assert.deepEqual(tried?.mismatches, ['rooms: 10.0.0.1 is in none of "12"'])
})

test('an example of a room is an address in it', () => {
  const { policy: loaded } = configure(
    policy(`[rooms]
      network = ["192.168.12.0/24"]
      v6 = ["2001:db8:12::/64"]
      pair = ["10.0.0.2/31"]
      one = ["10.0.0.2"]
      one6 = ["2001:db8::2"]
      all = ["0.0.0.0/0"]`),
  )
  const examples = loaded.rooms.map((room) => [room.name, exampleAddress(room)])
  assert.deepEqual(Object.fromEntries(examples), {
    network: '192.168.12.1',
    v6: '2001:db8:12::1',
    pair: '10.0.0.3',
    one: '10.0.0.2',
    one6: '2001:db8::2',
    all: '0.0.0.1',
  })
  for (const room of loaded.rooms) assert.ok(isInRoom(room, addressWords(exampleAddress(room) ?? '')), room.name)
})

test('a room is put into force by a reload, and administration names it: why, sessions, lockouts', async (t) => {
  const rules = `
    ${rule('news', 'warn', 'match = ["news.example"]', 'rooms = ["12", "library"]')}
    ${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "80361", attempts = 1 }')}`
  const engine = await startEngine(t, policy(`${ROOMS}${rules}`))
  const { administer, decide, verdict, acknowledge, state } = engine
  const NEWS = 'https://news.example/'
  for (const [room, client] of [
    ['12', '192.168.12.1'],
    ['library', '192.168.12.129'],
  ]) {
    const { json } = await administer('why', { url: NEWS, room })
    assert.deepEqual([json.verdict, (json.request as { client: string }).client], ['warn', client])
  }
  for (const body of [
    { url: NEWS, room: 'nowhere' },
    { url: NEWS, room: '12', client: '192.168.12.1' },
    { reference: 'AAAAAAAA', room: '12' },
  ]) {
    assert.equal((await administer('why', body)).status, 400, JSON.stringify(body))
  }

  for (const [client, user] of [['192.168.12.5'], ['192.168.12.200', 'anna'], ['192.168.40.7'], ['2001:db8:12::5']]) {
    await acknowledge(await verdict(NEWS, client, user))
    await acknowledge(await verdict('https://lab.example/', client), '00000')
  }
  const listed = async (call: 'sessions' | 'lockouts', room: string) => {
    const found = (await administer(`${call}/list`, { room })).json[call] as { client: string }[]
    return new Set(found.map(({ client }) => client))
  }
  assert.deepEqual(await listed('sessions', 'library'), new Set(['192.168.12.200', '192.168.40.7']))
  assert.deepEqual(await listed('lockouts', '12'), new Set(['192.168.12.5', '192.168.12.200', '2001:db8:12:0::/64']))
  assert.deepEqual((await administer('sessions/end', { room: '12' })).json, { ended: 3 })
  assert.deepEqual((await administer('lockouts/end', { room: 'library' })).json, { ended: 2 })
  assert.deepEqual(await state.counts(), { sessions: 1, lockouts: 2 })
  const [line] = engine.logged().filter(({ event }) => event === 'sessions.ended')
  assert.deepEqual([line?.room, line?.ended], ['12', 3])
  const end = await administer('sessions/end', { room: '12', user: "' or 1=1 --" })
  assert.deepEqual(end.json, { ended: 0 })

  assert.equal((await decide(NEWS, '192.168.99.5')).json.verdict, 'allow')
  await engine.write(policy(`${ROOMS.replace('192.168.12.0/24', '192.168.99.0/24')}${rules}`))
  assert.equal((await engine.policies.reload()).result, 'loaded')
  assert.equal((await decide(NEWS, '192.168.99.5')).json.verdict, 'warn')
})
