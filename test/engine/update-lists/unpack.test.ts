// What a download unpacks to is bounded, with small limits. With the real ones, and memory:
// test/regressions/a-small-download-filled-the-engines-memory.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { unpack } from '../../../src/engine/update-lists/unpack.ts'
import { archiveOf, tarHeader } from './list-server.ts'

const KIB = 1024
const LIMITS = { list: 64 * KIB, unpacked: 256 * KIB }

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += KIB) yield bytes.subarray(at, at + KIB)
}

/** @returns the length of the list */
async function unpackedLength(download: Buffer): Promise<number> {
  let length = 0
  for await (const chunk of (await unpack(inPieces(download), LIMITS)).content) length += chunk.length
  return length
}

const names = (bytes: number) => Buffer.alloc(bytes, 'casino.example\n')

for (const [what, pack, fault] of [
  ['a text', (list) => list, 'the download is longer than 256 MiB'],
  ['a compressed text', gzipSync, 'unpacked, the download is longer than 256 MiB'],
  [
    'a compressed archive',
    (list) => gzipSync(archiveOf({ 'a/domains': list })),
    'the list in the archive is longer than 256 MiB',
  ],
] satisfies [string, (list: Buffer) => Buffer, string][]) {
  test(`${what} of the limit, and one that is longer by a byte`, async () => {
    assert.equal(await unpackedLength(pack(names(LIMITS.list))), LIMITS.list)
    await assert.rejects(unpackedLength(pack(names(LIMITS.list + 1))), { message: fault })
  })
}

test('of an archive, what is not read counts, too', async () => {
  const bomb = gzipSync(Buffer.concat([tarHeader('other', 2 ** 31), Buffer.alloc(LIMITS.unpacked)]))
  await assert.rejects(unpackedLength(bomb), { message: 'the download unpacks to more than 1 GiB' })
})
