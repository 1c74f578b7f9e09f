// Seen: of an archive with several files named "domains", the last line of one was joined to the first of the next where it had no
// line feed: last.example and casino.example became one name, and both were open. After a comment, the next name was part of it.
// Since lists are downloaded. Now each file begins a line, and the engine ignores the mark with which editors begin a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { entriesOf } from '../engine/policy/entries-of.ts'
import { archiveOf, startListServer } from '../engine/update-lists/list-server.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

const HOSTS = ['first.example', 'last.example', 'casino.example']

const ENDS = [
  ['without a line feed', 'last.example'],
  ['with a comment', 'last.example\n# end'],
  ['with a comment after a name', '0.0.0.0 last.example#end'],
  ['with a carriage return', 'last.example\r'],
  ['with CR LF, but for its last line', '# names\r\nlast.example'],
  ['with blanks', 'last.example \t'],
  ['with an empty file', ''],
  ['with a line feed, as always', 'last.example\n'],
] as const
const BEGINNINGS = [
  'casino.example',
  '\ufeffcasino.example\r\n',
  '\ufeff0.0.0.0 casino.example',
  '\ufeff# x\ncasino.example\r',
]

for (const [what, end] of ENDS) {
  const control = end.endsWith('\n') ? 'control: ' : ''
  test(`${control}the names of both files are entries where the first ends ${what}`, {
    skip: skipWithoutOpenssl,
  }, async (t) => {
    const first =
      end === ''
        ? { 'a/domains': 'first.example\nlast.example', 'b/domains': '' }
        : { 'a/domains': `first.example\n${end}` }
    const archives = BEGINNINGS.map((next) => archiveOf({ ...first, 'c/domains': next }))
    const { update, read } = await startListServer(
      t,
      Object.fromEntries(archives.map((body, index) => [`/${index}.tar.gz`, { body: gzipSync(body) }])),
    )
    const names = [...archives.keys()].map((index) => `${index}.tar.gz`)
    const { lines } = await update(names.map((name) => `${name} ORIGIN/${name}`).join('\n'))
    for (const name of names) {
      assert.deepEqual(entriesOf(read(name), HOSTS), { entries: HOSTS, invalid: 0 }, lines.join('\n'))
    }
  })
}

test('control: parts of one text that were compressed separately have always been that text', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const body = Buffer.concat(['first.example\nlast.exa', 'mple\ncasino.', 'example'].map((part) => gzipSync(part)))
  const { update, read } = await startListServer(t, { '/list.gz': { body } })
  await update('list.txt ORIGIN/list.gz')
  assert.deepEqual(entriesOf(read('list.txt'), HOSTS), { entries: HOSTS, invalid: 0 })
})
