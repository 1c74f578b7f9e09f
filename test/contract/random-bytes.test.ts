import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeRandomBytes } from '../../src/contract/random-bytes.ts'

test('no byte is returned twice, and none changes later', () => {
  // About three supplies, in lengths that do not divide one.
  const taken = Array.from({ length: 2000 }, (_, index) => takeRandomBytes(index % 2 === 0 ? 12 : 16))
  const atFirst = taken.map((bytes) => bytes.toString('hex'))
  assert.deepEqual(new Set(atFirst.map(({ length }) => length)), new Set([24, 32]))
  assert.equal(new Set(atFirst).size, taken.length)
  taken.reduce((before, bytes) => {
    assert.ok(bytes.buffer !== before.buffer || bytes.byteOffset >= before.byteOffset + before.length)
    return bytes
  })
  assert.deepEqual(
    taken.map((bytes) => bytes.toString('hex')),
    atFirst,
  )
})
