// The table of a list's names: what is looked up in it, and that none answers after a reload has replaced it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildTable, NameTable } from '../../../../src/engine/policy/lists/name-table.ts'
import { suffixesOf } from '../../../../src/network/host.ts'
import { propertyRuns } from '../../../support/property-runs.ts'
import { entryFor } from '../entries-of.ts'
import { readText } from '../table-of.ts'

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
