import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashSuffixes } from '../../../../src/engine/policy/lists/name-hash.ts'

/** The first of HalfSipHash's authors' vectors (64 bits; github.com/veorq/SipHash, vectors.h): key 00 … 07, input 00 01 02 …. */
const VECTORS = [
  '218d1f59b9b83cc8',
  'be552412f8387315',
  '064f39ef7c50eb57',
  'ce0f1a45f7060679',
  'd5e78a175be52ea1',
  'cb9d7c3f2f3db580',
  'ce3e91358aa2bc25',
  'ff202728b07bc684',
  'edfee820bce4858c',
  '5b51cccc13888307',
  '95b0469f06a6f2ee',
  'ae26333994ddcd48',
  '7bc71f9faef5c799',
  '5a2352d75a0c3744',
  '3bb1a870eae8e658',
  '217d0bcb4e81c902',
  '7336aad25f7bf3b5',
  '37adc0641c4c4f6a',
  'c9b2db2b9a3e42f9',
  'f910e48020ab363c',
  '1bf52b0a6feea7db',
  '00741dc269e8b3ef',
  'e20103fa1ba776ef',
  '4c2210e54b681d73',
  '70741045ae3fa6f1',
  '0c86403739714038',
  '0d899ed8112923f0',
  '226bf5fab81ee1b8',
  '2d925ffb1e0016b5',
  '361958d52cee10f1',
  '291aaf864898179d',
  '863c7f155c34117c',
]
const KEY = [0x03020100, 0x07060504] as const

function hash(name: Uint8Array, key: readonly [number, number] = KEY): string {
  const words = new Int32Array(2)
  assert.equal(hashSuffixes(key, name, 0, name.length, words, true), 1)
  return Buffer.from(words.buffer).toString('hex')
}

test('the vectors of the authors, over the bytes from the last to the first', () => {
  VECTORS.forEach((expected, length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index).reverse()
    assert.equal(hash(bytes), expected, `${length} bytes`)
  })
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

test('another key gives other hashes', () => {
  assert.notEqual(hash(Buffer.from('casino.example'), [1, 2]), hash(Buffer.from('casino.example'), [1, 3]))
  assert.notEqual(hash(Buffer.from('casino.example'), [1, 2]), hash(Buffer.from('casino.example'), [2, 2]))
})
