// Seen: of a line in hosts format, the names after a malformed one were no entries: with `0.0.0.0 ads..example casino.example`,
// casino.example was open. Since lists have had the format.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf } from '../engine/policy/entries-of.ts'

const HOSTS = ['casino.example', 'bet.example']

for (const malformed of [
  'ads..example',
  '*',
  'a/b',
  '-http://ads.example/',
  'bet.example,poker.example',
  '1.2.3',
  'ä..ö',
]) {
  for (const format of ['auto', 'hosts'] as const) {
    test(`in ${format}, names on both sides of ${malformed}`, () => {
      const line = `0.0.0.0 casino.example ${malformed} ${malformed} bet.example # poker.example`
      assert.deepEqual(entriesOf(line, HOSTS, format), { entries: HOSTS, invalid: 1 })
    })
  }
}

for (const address of ['0.0.0', '0.0.0.256', '127.1']) {
  test(`names after the malformed address ${address}`, () => {
    assert.deepEqual(entriesOf(`${address} casino.example bet.example`, HOSTS), { entries: HOSTS, invalid: 1 })
  })
}

test('names after 0, which some files write for 0.0.0.0', () => {
  assert.deepEqual(entriesOf('0 casino.example bet.example', HOSTS), { entries: HOSTS, invalid: 0 })
})

test('control: names before a malformed one have always been entries', () => {
  assert.deepEqual(entriesOf('0.0.0.0 casino.example bet.example ads..example', HOSTS), { entries: HOSTS, invalid: 1 })
})

test('control: without an address, a line of several names has always been malformed', () => {
  assert.deepEqual(entriesOf('casino.example bet.example', HOSTS), { entries: [], invalid: 1 })
})
