// Seen: in a list, `0.0.0.0 casino.example#note` was no entry, because the comment was read as part of the name: the host was open.
// Since lists have had comments. In a list, and in a group's file, # begins a comment wherever it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf } from '../engine/policy/entries-of.ts'

for (const line of [
  '0.0.0.0 casino.example#note',
  '0.0.0.0 casino.example#note bet.example',
  '0.0.0.0\tcasino.example# 0.0.0.0 bet.example',
  '::1 casino.example##note',
  'casino.example#note',
  'casino.example# note',
  'casino.example#',
  'casino.example## note',
  'casino.example####',
  'casino.example#note#2 bet.example',
  '.casino.example#note',
  '*.casino.example#note',
  'casino.example.#note',
  ' CASINO.example#note',
  '\ufeffcasino.example#note',
]) {
  test(`${JSON.stringify(line)} is an entry`, () => {
    assert.deepEqual(entriesOf(line, ['casino.example', 'bet.example']), { entries: ['casino.example'], invalid: 0 })
  })
}

test('an international name is an entry', () => {
  const host = 'xn--bcher-kva.example'
  assert.deepEqual(entriesOf('bücher.example#Bücher', [host]), { entries: [host], invalid: 0 })
})

for (const line of ['0.0.0.0 #casino.example', '0.0.0.0#casino.example']) {
  test(`${line} is a line without names`, () => {
    for (const format of ['auto', 'hosts'] as const) {
      assert.deepEqual(entriesOf(line, ['casino.example'], format), { entries: [], invalid: 0 })
    }
  })
}

for (const line of ['#casino.example', '  # casino.example']) {
  test(`control: "${line}" has always been a comment`, () => {
    assert.deepEqual(entriesOf(line, ['casino.example']), { entries: [], invalid: 0 })
  })
}

// Of a filter list: these hide elements of pages, and the sites themselves are good.
for (const line of [
  'news.example##.banner',
  'news.example###banner',
  'news.example#@#.banner',
  'news.example#?#div:has(.ad)',
  'news.example#$#body { overflow: auto }',
  'news.example#@$?#body',
  'news.example#%#//scriptlet',
]) {
  test(`control: ${line} has never been an entry`, () => {
    assert.deepEqual(entriesOf(line, ['news.example']), { entries: [], invalid: 1 })
  })
}
