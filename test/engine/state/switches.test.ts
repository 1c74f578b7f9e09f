// Switches in the database: shared by engines, kept over restarts, and off by themselves.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EngineState } from '../../../src/engine/state/state.ts'
import { addressWords, parseAddressRange } from '../../../src/network/address-range.ts'
import { databases } from '../../support/databases.ts'
import { HOUR, movableClock, openEngine } from './fixture.ts'

const range = (text: string) => parseAddressRange(text) ?? assert.fail(text)
const NETWORKS = ['192.168.12.0/24', '2001:db8:12::/64'].map(range)

/** @param address of the client @returns in how many milliseconds the switch turns off; undefined where it is off */
function left({ switches }: EngineState, address: string, at: number, name = 'exam'): number | undefined {
  const off = switches.offAt(name, addressWords(address), at)
  return off && off - at
}

for (const { name, skip, create } of databases) {
  describe(`switches, ${name}`, { skip }, () => {
    test('each is for its networks, reaches every engine, and survives a restart', async (t) => {
      const location = await create(t)
      const [one, other] = [await openEngine(t, location), await openEngine(t, location)]
      const exam = { name: 'exam', room: '12', by: 'Ms Rossi', milliseconds: HOUR }
      await one.turnOn({ ...exam, networks: NETWORKS })
      await other.sync()
      const restarted = await openEngine(t, location)
      for (const state of [one, other, restarted]) {
        const isOn = (address: string, name?: string) => left(state, address, Date.now(), name) !== undefined
        assert.ok(isOn('192.168.12.7') && isOn('2001:db8:12::7'))
        assert.ok(!isOn('192.168.13.7') && !isOn('2001:db8:13::7') && !isOn('192.168.12.7', 'Exam'))
      }
      assert.deepEqual(
        (await other.switchesOn()).map(({ room, by, network }) => [room, by, network?.text]),
        NETWORKS.map(({ text }) => ['12', 'Ms Rossi', text]),
      )

      await other.turnOn({ name: 'exam', room: undefined, by: 'x', networks: undefined, milliseconds: 2 * HOUR })
      assert.equal((await other.turnOff({ name: 'exam', networks: [], room: '12' })).length, 2)
      await one.sync()
      assert.ok(left(one, '192.168.12.7', Date.now()) !== undefined, 'everyone')
      assert.equal((await one.turnOff({ name: 'quiz', networks: 'all', room: undefined })).length, 0)
      assert.equal((await one.turnOff({ name: 'exam', networks: 'everyone', room: undefined })).length, 1)
      await other.sync()
      for (const state of [one, other]) assert.equal(left(state, '192.168.12.7', Date.now()), undefined)
    })

    test('a room may have thousands of networks', async (t) => {
      const state = await openEngine(t, await create(t))
      const networks = Array.from({ length: 4_700 }, (_, n) => range(`10.${n >> 8}.${n & 255}.0/24`))
      const on = await state.turnOn({ name: 'exam', room: '12', by: 'x', milliseconds: HOUR, networks })
      assert.equal(on?.length, 4_700)
      assert.equal(
        (await state.turnOff({ name: 'exam', room: undefined, networks: networks.slice(0, 1_500) })).length,
        1_500,
      )
      assert.equal((await state.turnOff({ name: 'exam', room: '12', networks: networks.slice(1) })).length, 3_200)
      assert.deepEqual(await state.switchesOn(), [])
    })

    test('the last of those that cover a client turns it off; a new command replaces the one before', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      const on = (networks: readonly string[] | undefined, hours: number) =>
        state.turnOn({
          ...{ name: 'exam', room: undefined, by: 'x', milliseconds: hours * HOUR },
          networks: networks?.map(range),
        })
      await on(['192.168.12.7'], 3)
      await on(['192.168.12.0/24'], 1)
      await on(undefined, 2)
      await on(['192.168.12.7/32', '192.168.12.7'], 0.5)
      assert.equal((await state.switchesOn()).length, 3)
      const hours = () => (left(state, '192.168.12.7', clock()) ?? 0) / HOUR
      assert.ok(Math.abs(hours() - 2) < 0.01, `${hours()}`)
      await pass(2 * HOUR - 4_700)
      assert.ok(hours() > 0)
      await pass(10_000)
      await state.sync()
      assert.equal(hours(), 0)
      assert.deepEqual(await state.switchesOn(), [])
      await state.prune()
      await on(['192.168.12.7'], 1)
      assert.equal((await state.switchesOn()).length, 1)
    })
  })
}
