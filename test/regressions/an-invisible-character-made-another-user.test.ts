// Seen: a directory accepts `ａｌｉｃｅ` and `al<U+200B>ice` for alice, and a proxy reports the name as it was typed. The engine
// compared names in lower case and NFC only, since rules have had users: such a name was in no group, had attempts of its own
// at each code, and the sessions that an administrator ended by the name continued.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { CLIENT, policy, startEngine } from '../engine/running-engine.ts'

const engine = await startEngine(
  { after },
  policy(`
  [[rules]]
  name = "games"
  match = ["games.example"]
  groups = ["students"]
  action = "block"
  [[rules]]
  name = "lab"
  match = ["lab.example"]
  action = "aup"
  override = { type = "pin", code = "80361", attempts = 2 }
  [groups]
  students = { users = ["alice"] }`),
)

async function isStudent(name: string): Promise<boolean> {
  return (await engine.decide('http://games.example/', CLIENT, name)).json.verdict === 'block'
}

async function enter(name: string, code: string): Promise<number> {
  return (await engine.acknowledge(await engine.verdict('http://lab.example/', CLIENT, name), code)).status
}

async function assertIsAlice(name: string): Promise<void> {
  assert.ok(await isStudent(name))
  assert.deepEqual([await enter('alice', '11111'), await enter(name, '22222')], [403, 429])
  assert.equal((await engine.administer('lockouts/end', { user: name })).json.ended, 1)
  assert.equal(await enter(name, '80361'), 302)
  assert.equal((await engine.administer('sessions/end', { user: 'alice' })).json.ended, 1)
}

describe('alice', () => {
  for (const name of [
    'ａｌｉｃｅ',
    'al\u200bice',
    '\ufeffalice',
    'alice\u00ad',
    'a\u{e0020}lice',
    'alice\u00a0',
    'Ａlice',
  ]) {
    test(JSON.stringify(name), () => assertIsAlice(name))
  }
  test('control: in capitals', () => assertIsAlice('ALICE'))
})

test('control: somebody else', async () => {
  assert.equal(await isStudent('alicia'), false)
  assert.deepEqual([await enter('alice', '11111'), await enter('alicia', '22222')], [403, 403])
})
