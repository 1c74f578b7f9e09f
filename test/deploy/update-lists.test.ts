import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { gzipRepeated, skipWithoutCurl, startListServer, tarHeader } from './list-server.ts'

const NAMES = 'casino.example\nbet.example\npoker.example\n'

test('text, gzip and archives; unchanged lists stay; comments and a last line without an end', {
  skip: skipWithoutCurl,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'adult'))
  writeFileSync(join(folder, 'adult', 'domains'), NAMES)
  writeFileSync(join(folder, 'adult', 'urls'), 'x.example/y\n')
  const archive = execFileSync('tar', ['-C', folder, '-cz', 'adult'], { timeout: 10_000 })
  const { update, read, path } = await startListServer(t, {
    '/a.txt': { body: NAMES },
    '/b.gz': { body: gzipSync(NAMES), type: 'application/gzip' },
    '/c.tar.gz': { body: archive, type: 'application/x-gzip' },
    '/moved': { status: 302, location: '/a.txt' },
  })
  const sources = '# lists\n\na.txt ORIGIN/a.txt\nb.txt\tORIGIN/b.gz\n  c.txt ORIGIN/c.tar.gz\nd.txt ORIGIN/moved'
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt']
  assert.deepEqual(await update(sources), { status: 0, lines: names.map((name) => `${name}: updated`) })
  for (const name of names) {
    assert.equal(read(name), NAMES)
    assert.equal(statSync(path(name)).mode & 0o777, 0o644)
  }
  const { ino } = statSync(path('a.txt'))
  assert.deepEqual(await update(sources), { status: 0, lines: names.map((name) => `${name}: unchanged`) })
  assert.equal(statSync(path('a.txt')).ino, ino)
})

test('what is no list does not replace one, and the others are updated', { skip: skipWithoutCurl }, async (t) => {
  const plain = createPlainServer((_, response) => response.end(NAMES)).listen(0, 'localhost')
  await once(plain, 'listening')
  t.after(() => {
    plain.closeAllConnections()
    plain.close()
  })
  const page = '<!DOCTYPE html><title>Sign in</title>'
  const { update, read, path } = await startListServer(t, {
    '/good.txt': { body: 'new.example\n'.repeat(10) },
    '/html': { body: NAMES, type: 'text/html; charset=utf-8' },
    '/disguised': { body: `\n\n  ${page}${'x'.repeat(1000)}` },
    '/empty': {},
    '/blank': { body: '\n \n'.repeat(500) },
    '/short': { body: 'casino.example\n' },
    '/long': { body: NAMES, length: 2 ** 28 + 1, isCut: true },
    '/cut': { body: NAMES.repeat(10), isCut: true },
    '/error': { status: 500, body: NAMES },
    '/http': { status: 302, location: `http://localhost:${(plain.address() as AddressInfo).port}/` },
    '/file': { status: 302, location: 'file:///etc/passwd' },
    '/broken.gz': { body: gzipSync(NAMES).subarray(0, 20), type: 'application/gzip' },
    '/text.tar.gz': { body: NAMES },
  })
  const faults: readonly (readonly [place: string, reason: RegExp])[] = [
    ['ORIGIN/html', /the download is a web page$/],
    ['ORIGIN/disguised', /the download is a web page$/],
    ['ORIGIN/empty', /the download is empty$/],
    ['ORIGIN/blank', /the download is empty$/],
    [
      'ORIGIN/short',
      /is less than half as long as the current list, 15 bytes instead of 41; remove that one to accept it$/,
    ],
    ['ORIGIN/long', /the download is longer than 256 MiB$/],
    ['ORIGIN/cut', /curl: /],
    ['ORIGIN/error', /curl: .*500/],
    ['ORIGIN/missing', /curl: .*404/],
    ['ORIGIN/http', /curl: /],
    ['ORIGIN/file', /curl: /],
    ['ORIGIN/broken.gz', /gzip: /],
    ['ORIGIN/text.tar.gz', /tar: |gzip: /],
    ['http://localhost/list', /the address must begin with https:\/\/$/],
    ['file:///etc/passwd', /the address must begin with https:\/\/$/],
    ['', /the address must begin with https:\/\/$/],
    ['ORIGIN/good.txt more', /there is more than a name and an address$/],
  ]
  for (const [place, reason] of faults) {
    writeFileSync(path('list.txt'), NAMES)
    const { status, lines } = await update(`list.txt ${place}\ngood.txt ORIGIN/good.txt\n`)
    assert.equal(status, 1, place)
    assert.equal(lines.length, 2, lines.join('\n'))
    const [problem = ''] = lines.filter((line) => line.startsWith('list.txt: '))
    assert.match(problem, reason, place)
    assert.equal(read('list.txt'), NAMES)
    assert.match(lines.join(), /good\.txt: (updated|unchanged)/)
  }
  for (const name of ['../list.txt', '/tmp/list.txt', '.hidden', 'a$b', '-o']) {
    const { status, lines } = await update(`${name} ORIGIN/good.txt`)
    assert.equal(status, name === '-o' ? 0 : 1, lines.join())
  }
  // The system's certificates do not include that of this server.
  const { lines } = await update('list.txt ORIGIN/good.txt', {})
  assert.match(lines.join(), /^list\.txt: curl: \(60\)/)
})

test('a link in place of a list is replaced, not followed; a folder that cannot be written is an error', {
  skip: skipWithoutCurl,
}, async (t) => {
  const { update, lists, path, read } = await startListServer(t, { '/a.txt': { body: NAMES } })
  const elsewhere = join(lists, '..', 'elsewhere')
  writeFileSync(elsewhere, 'unchanged')
  symlinkSync(elsewhere, path('a.txt'))
  assert.deepEqual(await update('a.txt ORIGIN/a.txt'), { status: 0, lines: ['a.txt: updated'] })
  assert.equal(readFileSync(elsewhere, 'utf8'), 'unchanged')
  assert.equal(read('a.txt'), NAMES)
  if (process.getuid?.() !== 0) {
    chmodSync(lists, 0o555)
    assert.equal((await update('a.txt ORIGIN/a.txt')).status, 1)
    chmodSync(lists, 0o755)
  }
})

test('a list that grew to more than ten times its length is refused, and a short one may grow', {
  skip: skipWithoutCurl,
}, async (t) => {
  const long = 'casino.example\n'.repeat(20_000)
  const { update, read, path } = await startListServer(t, {
    '/long.txt': { body: long },
    '/short.txt': { body: 'casino.example\n'.repeat(13_000) },
  })
  writeFileSync(path('list.txt'), NAMES.repeat(731))
  assert.deepEqual(await update('list.txt ORIGIN/long.txt'), {
    status: 1,
    lines: [
      'list.txt: the download is more than ten times as long as the current list, 300000 bytes instead of 29971; remove that one to accept it',
    ],
  })
  assert.equal(read('list.txt'), NAMES.repeat(731))
  writeFileSync(path('list.txt'), NAMES.repeat(732))
  assert.deepEqual(await update('list.txt ORIGIN/long.txt'), { status: 0, lines: ['list.txt: updated'] })
  writeFileSync(path('list.txt'), NAMES)
  assert.deepEqual(await update('list.txt ORIGIN/short.txt'), { status: 0, lines: ['list.txt: updated'] })
  writeFileSync(path('list.txt'), NAMES)
  assert.equal((await update('list.txt ORIGIN/long.txt')).status, 1)
  rmSync(path('list.txt'))
  assert.deepEqual(await update('list.txt ORIGIN/long.txt'), { status: 0, lines: ['list.txt: updated'] })
  assert.equal(read('list.txt'), long)
})

test('neither a line as long as the download nor a header of an archive fills the memory', {
  skip: skipWithoutCurl,
}, async (t) => {
  const block = Buffer.alloc(16 * 1024 ** 2, 'x')
  const { update } = await startListServer(t, {
    '/line.gz': { body: gzipRepeated(block, 15) },
    '/header.tar.gz': {
      body: Buffer.concat([
        gzipSync(tarHeader('extended', 12 * block.length, 'x')),
        gzipRepeated(Buffer.alloc(block.length), 12),
        gzipSync(tarHeader('adult/domains', 0)),
      ]),
    },
  })
  assert.deepEqual(await update('line.txt ORIGIN/line.gz'), { status: 0, lines: ['line.txt: updated'] })
  assert.deepEqual(await update('header.txt ORIGIN/header.tar.gz'), {
    status: 1,
    lines: ['header.txt: tar: memory exhausted'],
  })
})
