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
  ...['last.example', 'last.example\n# end', '0.0.0.0 last.example#end', 'last.example\r', '# names\r\nlast.example'],
  'last.example \t',
  // An empty file.
  '',
  // Control.
  'last.example\n',
]
const BEGINNINGS = [
  'casino.example',
  '\ufeffcasino.example\r\n',
  '\ufeff0.0.0.0 casino.example',
  '\ufeff# x\ncasino.example\r',
]

test('the names of both files are entries, however the first ends', { skip: skipWithoutOpenssl }, async (t) => {
  const archives = ENDS.flatMap((end) => {
    const first =
      end === ''
        ? { 'a/domains': 'first.example\nlast.example', 'b/domains': '' }
        : { 'a/domains': `first.example\n${end}` }
    return BEGINNINGS.map((next) => ({ end, next, body: gzipSync(archiveOf({ ...first, 'c/domains': next })) }))
  })
  const { update, read } = await startListServer(
    t,
    Object.fromEntries(archives.map(({ body }, index) => [`/${index}`, { body }])),
  )
  const { lines } = await update(archives.map((_, index) => `${index} ORIGIN/${index}`).join('\n'))
  for (const [index, { end, next }] of archives.entries()) {
    const said = `${JSON.stringify([end, next])}: ${lines[index]}`
    assert.deepEqual(entriesOf(read(`${index}`), HOSTS), { entries: HOSTS, invalid: 0 }, said)
  }
})

test('control: parts of one text that were compressed separately have always been that text', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const body = Buffer.concat(['first.example\nlast.exa', 'mple\ncasino.', 'example'].map((part) => gzipSync(part)))
  const { update, read } = await startListServer(t, { '/list.gz': { body } })
  await update('list.txt ORIGIN/list.gz')
  assert.deepEqual(entriesOf(read('list.txt'), HOSTS), { entries: HOSTS, invalid: 0 })
})
