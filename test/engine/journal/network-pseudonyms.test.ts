// Pseudonyms of networks, and when a search computes them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findStops } from '../../../src/engine/journal/find-stops.ts'
import { createNetworkPseudonyms } from '../../../src/engine/journal/network-pseudonyms.ts'
import { pseudonymOf } from '../../../src/engine/journal/pseudonyms.ts'
import { parseAddressRange } from '../../../src/network/address-range.ts'
import { longestBlock } from '../../support/cpu-time.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { DAY, openTestJournal, START, stop } from './fixture.ts'

const openJournal = (t: TestContext, settings = {}) =>
  openTestJournal(t, { dialect: 'sqlite', path: join(temporaryFolder(t), 'journal.db') }, { settings })

const network = (text: string) => parseAddressRange(text) ?? assert.fail(text)
const keyOf = (id: number) => ({ id, createdAt: START, key: Buffer.alloc(32, id) })

test('they are computed once for the same networks and keys', async () => {
  const pseudonyms = createNetworkPseudonyms()
  const first = await pseudonyms([network('10.0.0.0/30')], [keyOf(1), keyOf(2)])
  assert.deepEqual(
    [...first],
    ['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3'].flatMap((address) =>
      [1, 2].map((id) => pseudonymOf(keyOf(id), 'client', address)),
    ),
  )
  assert.equal(await pseudonyms([network('10.0.0.0/30')], [keyOf(1), keyOf(2)]), first)
  assert.equal((await pseudonyms([network('10.0.0.0/30')], [keyOf(2)])).size, 4)
  assert.equal((await pseudonyms([network('10.0.0.0/31')], [keyOf(2)])).size, 2)
})

test('a search computes them only if what it reads may have some', async (t) => {
  const journal = await openJournal(t)
  journal.add(stop())
  journal.add(stop({ at: START + 4 * DAY }))
  await journal.flush()
  journal.pass(4 * DAY)
  await journal.retain()
  const search = async (since: number | undefined, after?: number) => {
    let computed = 0
    const networks = [network('198.51.100.0/24')]
    const { stops } = await journal.read('be searched', (transaction) =>
      findStops(transaction, 'sqlite', { since, networks }, 10, {
        after: after === undefined ? undefined : { at: after, reference: '' },
        networkPseudonyms: (networks, keys) => {
          computed += networks.length * keys.length
          return createNetworkPseudonyms()(networks, keys)
        },
      }),
    )
    return [stops.length, computed]
  }
  assert.deepEqual(await search(undefined), [2, 1])
  assert.deepEqual(await search(START), [2, 1])
  assert.deepEqual(await search(START + DAY), [1, 0])
  assert.deepEqual(await search(undefined, START + 4 * DAY - 1), [1, 0])
})

test('decisions do not wait for the 65,536 pseudonyms of a network, nor for a room of 10,000 networks', async (t) => {
  const journal = await openJournal(t, { personDays: 0 })
  for (let n = 0; n < 400; n++) journal.add(stop({ client: `10.${n & 1}.${n >> 1}.7` }))
  await journal.flush()
  const room = Array.from({ length: 10_000 }, (_, n) => network(`10.${n >> 8}.${n & 255}.0/26`))
  for (const [networks, found] of [
    [[network('10.0.0.0/16')], 200],
    [room, 400],
  ] as const) {
    const search = async () => {
      const { stops } = await journal.read('be searched', (transaction) =>
        findStops(transaction, 'sqlite', { networks }, 500),
      )
      assert.equal(stops.length, found)
    }
    const blocks = [await longestBlock(search), await longestBlock(search), await longestBlock(search)]
    // The first has to compile.
    assert.ok(Math.min(...blocks) < 25, `${blocks} ms`)
  }
})
