// The table of a list's names, and their hashes: what is looked up in it, and that none answers after a reload has replaced it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashSuffixes } from '../../../../src/engine/policy/lists/name-hash.ts'
import { buildTable, NameTable } from '../../../../src/engine/policy/lists/name-table.ts'
import { suffixesOf } from '../../../../src/network/host.ts'
import { propertyRuns } from '../../../support/property-runs.ts'
import { entryFor, readText } from '../entries-of.ts'

test('the table holds each name once, and no others', () => {
  const name = fc.stringMatching(/^[a-z0-9]{1,8}(\.[a-z0-9-]{1,8}){1,3}\.test$/)
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 1, maxLength: 400 }),
      fc.array(name, { maxLength: 100 }),
      (names, others) => {
        const list = readText([...names, ...names].join('\n'))
        assert.equal(list.table.hashes.byteLength / 8, new Set(names).size)
        for (const one of names) assert.equal(entryFor(one, list), one)
        for (const other of others) {
          const expected = suffixesOf(other).findLast((suffix) => names.includes(suffix))
          assert.equal(entryFor(other, list), expected)
        }
      },
    ),
    propertyRuns(50),
  )
})

test('hashes that share one of their words are different names; after a reload the table answers nothing', () => {
  const words = new Int32Array(new ArrayBuffer(32, { maxByteLength: 32 }))
  words.set([7, -80, 9, -80, 7, -81, 7, -80])
  const table = new NameTable(buildTable(words, 4, 2))
  assert.equal(table.size, 3)
  assert.ok(table.has(7, -80) && table.has(9, -80) && table.has(7, -81))
  assert.ok(!table.has(9, -81) && !table.has(8, -80) && !table.has(-80, 7))
  table.free()
  assert.throws(() => table.has(7, -80), /replaced by a reload/)
})

/** The first of HalfSipHash's authors' vectors (64 bits; github.com/veorq/SipHash, vectors.h): key 00 … 07, input 00 01 02 …. */
const VECTORS = `
  218d1f59b9b83cc8 be552412f8387315 064f39ef7c50eb57 ce0f1a45f7060679 d5e78a175be52ea1 cb9d7c3f2f3db580
  ce3e91358aa2bc25 ff202728b07bc684 edfee820bce4858c 5b51cccc13888307 95b0469f06a6f2ee ae26333994ddcd48
  7bc71f9faef5c799 5a2352d75a0c3744 3bb1a870eae8e658 217d0bcb4e81c902 7336aad25f7bf3b5 37adc0641c4c4f6a
`
const KEY = [0x03020100, 0x07060504] as const

function hash(name: Uint8Array, key: readonly [number, number] = KEY): string {
  const words = new Int32Array(2)
  assert.equal(hashSuffixes(key, name, 0, name.length, words, true), 1)
  return Buffer.from(words.buffer).toString('hex')
}

test('the vectors of the authors, over the bytes from the last to the first', () => {
  for (const [length, expected] of VECTORS.trim().split(/\s+/).entries()) {
    const bytes = Uint8Array.from({ length }, (_, index) => index).reverse()
    assert.equal(hash(bytes), expected, `${length} bytes`)
  }
})

test('one pass gives the hash of every suffix, the shortest first', () => {
  const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/)
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 12 }), fc.nat({ max: 5 }), (labels, offset) => {
      const host = labels.join('.')
      const bytes = Buffer.from('x'.repeat(offset) + host)
      const words = new Int32Array(2 * labels.length)
      assert.equal(hashSuffixes(KEY, bytes, offset, bytes.length, words, false), labels.length)
      labels.forEach((_, depth) => {
        const suffix = labels.slice(labels.length - 1 - depth).join('.')
        assert.equal(Buffer.from(words.buffer, 8 * depth, 8).toString('hex'), hash(Buffer.from(suffix)), suffix)
      })
    }),
  )
})
