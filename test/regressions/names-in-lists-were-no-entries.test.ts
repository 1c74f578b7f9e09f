// Stories of lists whose hosts were open, because of what stood next to their names; each suite is one.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { entriesOf } from '../engine/policy/entries-of.ts'
import { startListServer } from '../engine/update-lists/list-server.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

// Seen: of a line in hosts format, the names after a malformed one were no entries: with `0.0.0.0 ads..example casino.example`,
// casino.example was open. Since lists have had the format.
describe('a malformed name opened the next', () => {
  const HOSTS = ['casino.example', 'bet.example']
  const malformed = ['ads..example', '*', 'a/b', '-http://ads.example/', 'bet.example,poker.example', '1.2.3', 'ä..ö']

  test('names on both sides of one', () => {
    for (const name of malformed) {
      const line = `0.0.0.0 casino.example ${name} ${name} bet.example # poker.example`
      for (const format of ['auto', 'hosts'] as const) {
        assert.deepEqual(entriesOf(line, HOSTS, format), { entries: HOSTS, invalid: 1 }, `${format}: ${line}`)
      }
    }
  })
  test('names after a malformed address, and after 0, which some files write for 0.0.0.0', () => {
    for (const address of ['0.0.0', '0.0.0.256', '127.1', '0']) {
      const invalid = address === '0' ? 0 : 1
      assert.deepEqual(entriesOf(`${address} casino.example bet.example`, HOSTS), { entries: HOSTS, invalid }, address)
    }
  })
  test('control: names before a malformed one, and several without an address', () => {
    const before = '0.0.0.0 casino.example bet.example ads..example'
    assert.deepEqual(entriesOf(before, HOSTS), { entries: HOSTS, invalid: 1 })
    assert.deepEqual(entriesOf('casino.example bet.example', HOSTS), { entries: [], invalid: 1 })
  })
})

// Seen: in a list, `0.0.0.0 casino.example#note` was no entry, because the comment was read as part of the name: the host was open.
// Since lists have had comments. In a list, and in a group's file, # begins a comment wherever it is.
describe('a note after a name opened it', () => {
  test('the name is an entry', () => {
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
      const expected = { entries: ['casino.example'], invalid: 0 }
      assert.deepEqual(entriesOf(line, ['casino.example', 'bet.example']), expected, line)
    }
    const international = ['xn--bcher-kva.example']
    assert.deepEqual(entriesOf('bücher.example#Bücher', international), { entries: international, invalid: 0 })
  })
  test('control: what begins with # has always been a comment', () => {
    for (const line of ['0.0.0.0 #casino.example', '0.0.0.0#casino.example', '#casino.example', '  # casino.example']) {
      assert.deepEqual(entriesOf(line, ['casino.example']), { entries: [], invalid: 0 }, line)
    }
    assert.deepEqual(entriesOf('0.0.0.0#casino.example', ['casino.example'], 'hosts'), { entries: [], invalid: 0 })
  })
  test('control: rules of a filter list that hide elements of a good site have never been entries', () => {
    for (const hiding of [
      '##.banner',
      '###banner',
      '#@#.banner',
      '#?#div:has(.ad)',
      '#$#body { x: y }',
      '#@$?#body',
      '#%#//x',
    ]) {
      assert.deepEqual(entriesOf(`news.example${hiding}`, ['news.example']).entries, [], hiding)
    }
  })
})

// A downloaded list may be compressed in parts.
describe('a compressed list', { skip: skipWithoutOpenssl }, () => {
  const HOSTS = ['first.example', 'last.example', 'casino.example']
  test('parts of one text that were compressed separately have always been that text', async (t) => {
    const body = Buffer.concat(['first.example\nlast.exa', 'mple\ncasino.', 'example'].map((part) => gzipSync(part)))
    const { update, read } = await startListServer(t, { '/list.gz': { body } })
    await update('list.txt ORIGIN/list.gz')
    assert.deepEqual(entriesOf(read('list.txt'), HOSTS), { entries: HOSTS, invalid: 0 })
  })
})
