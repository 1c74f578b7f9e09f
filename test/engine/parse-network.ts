// A network that a test names.
import assert from 'node:assert/strict'
import { type AddressRange, parseAddressRange } from '../../src/network/address-range.ts'

export function parseNetwork(text: string): AddressRange {
  return parseAddressRange(text) ?? assert.fail(`${text} is not a network`)
}
