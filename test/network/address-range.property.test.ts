import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addressCount,
  addressesOf,
  addressWords,
  containsRange,
  isInOneOf,
  isInRange,
  parseAddressRange,
  rangeText,
  withoutContained,
} from '../../src/network/address-range.ts'

const ipv4 = fc
  .tuple(
    fc.constantFrom('10.0.0.0', '10.0.0.1', '10.128.0.0', '255.255.255.255', '0.0.0.0'),
    fc.integer({ min: 0, max: 32 }),
  )
  .map(([address, bits]) => `${address}/${bits}`)
const ipv6 = fc
  .tuple(fc.constantFrom('::', '::a00:0', '2001:db8::', '2001:db8:0:1::7', 'ffff::'), fc.integer({ min: 0, max: 128 }))
  .map(([address, bits]) => `${address}/${bits}`)
const range = fc.oneof(ipv4, ipv6).map((text) => {
  const parsed = parseAddressRange(text)
  assert.ok(parsed !== undefined, text)
  return parsed
})

test('what remains contains every range, and nothing in it is contained in another', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
      const kept = withoutContained(ranges)
      for (const one of ranges)
        assert.ok(
          kept.some((other) => containsRange(other, one)),
          rangeText(one),
        )
      for (const one of kept) for (const other of kept) assert.ok(one === other || !containsRange(one, other))
    }),
  )
})

test('an address is in one of the sorted ranges if it is in one of them', () => {
  fc.assert(
    fc.property(
      fc.array(range, { maxLength: 12 }),
      fc.oneof(fc.ipV4(), fc.ipV6(), range.map(rangeText)),
      (ranges, text) => {
        const words = parseAddressRange(text)?.words ?? addressWords(text)
        const isIn = ranges.some((one) => isInRange(one, words))
        assert.equal(isInOneOf(withoutContained(ranges), words), isIn)
      },
    ),
  )
})

test('the addresses of a range, from its first to its last', () => {
  const of = (text: string) => parseAddressRange(text) ?? assert.fail(text)
  assert.deepEqual([...addressesOf(of('10.0.255.254/31'))], ['10.0.255.254', '10.0.255.255'])
  assert.deepEqual([...addressesOf(of('2001:db8::7'))], ['2001:db8::7'])
  assert.deepEqual([...addressesOf(of('2001:db8::fffc/126'))].at(-1), '2001:db8::ffff')
  assert.equal(new Set(addressesOf(of('10.20.0.0/16'))).size, 65_536)
  assert.deepEqual(
    ['0.0.0.0/0', '::/0', '::ffff:10.0.0.0/112'].map((text) => addressCount(of(text))),
    [2 ** 32, 2 ** 128, 65_536],
  )
})
