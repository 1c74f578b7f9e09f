// The watcher's file: replaced atomically, tolerant of damage, and kept in memory while its disk is full.
import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { EMPTY, readState, type State, writeState } from '../../../src/gatewayctl/alarms/state.ts'
import { skipUnless } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const STATE: State = {
  roundAt: 1_800_000_000_000,
  causes: [
    {
      ...{ id: 'engine', summary: 'down', remedy: 'x', since: 1, until: 2, found: 2, missed: 0, isConfirmed: true },
      told: { mail: { what: 'alarm', alarmedAt: 2 }, webhook: { what: 'nothing', alarmedAt: null } },
    },
  ],
  section: { to: ['it@school.example'] },
  jobs: { 'gateway-lists': 3 },
  journal: { lost: 4, grewAt: null },
}

test('what is written is read; only its owner can read it, and nothing else stays', async (t) => {
  const folder = join(temporaryFolder(t), 'new')
  const path = join(folder, 'alarms.json')
  assert.deepEqual(readState([path]), { state: EMPTY, faults: [] })
  assert.equal(await writeState([path], STATE), undefined)
  assert.deepEqual(readState([path]), { state: STATE, faults: [] })
  assert.deepEqual(readdirSync(folder), ['alarms.json'])
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

describe('damage is reported, and as good as no file', () => {
  const whole = JSON.stringify(STATE)
  for (const [name, content] of [
    ['empty', ''],
    ['cut', whole.slice(0, -20)],
    ['another document', '{"roundAt": "now"}'],
    ['binary', Buffer.from([0, 255, 254])],
    ['a wrong value within', whole.replace('"found":2', '"found":"x"')],
    ['of 100,000 causes', JSON.stringify({ ...STATE, causes: Array(100_000).fill(STATE.causes[0]) })],
  ] as const) {
    test(name, async (t) => {
      const path = join(temporaryFolder(t), 'alarms.json')
      writeFileSync(path, content)
      const { state, faults } = readState([path])
      assert.deepEqual(state, EMPTY)
      assert.match(faults.join(), /alarms\.json is damaged, and starts afresh/)
      await writeState([path], STATE)
      assert.deepEqual(readState([path]).state, STATE)
    })
  }
})

test('where the first file cannot be written, the second one is, and the newer one counts', async (t) => {
  const folder = temporaryFolder(t)
  // No folder can be made where a file is.
  writeFileSync(join(folder, 'disk'), '')
  const [first, second] = [join(folder, 'disk', 'alarms.json'), join(folder, 'memory', 'alarms.json')]
  assert.match(`${await writeState([first, second], STATE)}`, /ENOTDIR|EEXIST/)
  assert.deepEqual(readState([first, second]).state, STATE)
  const other = join(folder, 'other.json')
  await writeState([other], { ...STATE, roundAt: STATE.roundAt + 1 })
  assert.equal(readState([other, second]).state.roundAt, STATE.roundAt + 1)
  assert.equal(readState([second, other]).state.roundAt, STATE.roundAt + 1)
  await assert.rejects(writeState([first], STATE))
})

test('a new file belongs to the owner of its folder', {
  skip: skipUnless(process.getuid?.() === 0, 'needs root'),
}, async (t) => {
  const folder = join(temporaryFolder(t), 'state')
  mkdirSync(folder)
  chownSync(folder, 12_345, 12_345)
  chmodSync(folder, 0o700)
  const path = join(folder, 'alarms.json')
  await writeState([path], STATE)
  assert.equal(statSync(path).uid, 12_345)
  assert.ok(readFileSync(path, 'utf8').endsWith('\n'))
})
