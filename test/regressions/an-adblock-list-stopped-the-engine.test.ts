// Seen: `update-lists` replaced a list with a download in the format of ad blockers, and wrote `updated`. The engine read none of its
// lines, and at its next start rejected the whole policy. Since lists are downloaded; JSON, zip and a text that says `404: Not
// Found` had the same effect. Now the lines of a download decide before it replaces a list.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rejectionOf } from '../../src/engine/policy/lists/load-lists.ts'
import { MEMORY, readText } from '../engine/policy/table-of.ts'
import { startListServer } from '../engine/update-lists/list-server.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

const CURRENT = 'casino.example\nbet.example\n'
const DOWNLOADS: Readonly<Record<string, string | Buffer>> = {
  adblock: '[Adblock Plus 2.0]\n! Title: Ads\n||ads.example^\n||banner.example^$third-party\nnews.example##.ad\n',
  'adblock without a header': '||ads.example^\n@@||news.example^\n',
  json: '{\n  "domains": [\n    "ads.example"\n  ]\n}\n',
  zip: Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(60, 1)]),
  'an error': '404: Not Found',
}

test('a download that the engine would reject does not replace a list', { skip: skipWithoutOpenssl }, async (t) => {
  const kinds = Object.entries(DOWNLOADS)
  const { update, path } = await startListServer(
    t,
    Object.fromEntries(kinds.map(([, body], index) => [`/${index}`, { body }])),
  )
  for (const index of kinds.keys()) writeFileSync(path(`${index}.txt`), CURRENT)
  const { status, lines } = await update(kinds.map((_, index) => `${index}.txt ORIGIN/${index}`).join('\n'))
  assert.equal(status, 1)
  for (const [index, [kind, body]] of kinds.entries()) {
    assert.notEqual(rejectionOf(readText([Buffer.from(body)]), MEMORY, undefined), undefined, kind)
    assert.match(
      `${lines[index]}`,
      /^\d\.txt: the download must (be a list of names; it is|have at least one name)/,
      kind,
    )
    assert.equal(readFileSync(path(`${index}.txt`), 'utf8'), CURRENT, kind)
  }
})

test('control: a list of names always replaced one', { skip: skipWithoutOpenssl }, async (t) => {
  const names = `! Title: Ads\n${CURRENT}poker.example\n`
  const { update, path, read } = await startListServer(t, { '/list.gz': { body: gzipSync(names) } })
  writeFileSync(path('list.txt'), CURRENT)
  assert.deepEqual(await update('list.txt ORIGIN/list.gz'), { status: 0, lines: ['list.txt: updated'] })
  assert.equal(read('list.txt'), names)
})
