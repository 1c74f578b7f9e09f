import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExpiringMap } from '../../../src/engine/state/expiring-map.ts'

test('an entry exists until it expires, and a sweep removes it from memory', () => {
  let now = 0
  const map = createExpiringMap<string>(() => now, 10)
  map.set('a', 'one', 5)
  map.set('b', 'two', 9)
  now = 4
  assert.equal(map.get('a'), 'one')
  now = 5
  assert.equal(map.get('a'), undefined)
  map.set('a', 'one', 6)
  now = 6
  map.sweep()
  assert.deepEqual([map.size, map.get('b')], [1, 'two'])
})

test('a full map evicts the entry that was set longest ago; setting an existing entry evicts nothing', () => {
  const map = createExpiringMap<number>(() => 0, 2)
  map.set('a', 1, 9)
  map.set('b', 1, 9)
  map.set('b', 2, 9)
  assert.deepEqual([map.get('a'), map.get('b')], [1, 2])
  map.set('a', 2, 9)
  map.set('c', 1, 9)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [2, undefined, 1])
})
