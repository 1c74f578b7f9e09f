import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { containsRange, parseAddressRange, rangeText, withoutContained } from '../../src/network/address-range.ts'

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
