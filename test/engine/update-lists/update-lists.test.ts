import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parseSources } from '../../../src/engine/update-lists/sources.ts'
import { unpack } from '../../../src/engine/update-lists/unpack.ts'
import { listen } from '../../support/listen.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { archiveOf, gzipRepeated, startListServer, tarHeader } from './list-server.ts'

const NAMES = 'casino.example\nbet.example\npoker.example\n'

test('text, gzip and archives; unchanged lists stay; comments and a last line without an end', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const archive = gzipSync(archiveOf({ 'adult/domains': NAMES, 'adult/urls': 'x.example/y\n' }))
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
    assert.equal(read(name), name === 'c.txt' ? `${NAMES}\nx.example/y\n` : NAMES)
    assert.equal(statSync(path(name)).mode & 0o777, 0o644)
  }
  const { ino } = statSync(path('a.txt'))
  assert.deepEqual(await update(sources), { status: 0, lines: names.map((name) => `${name}: unchanged`) })
  assert.equal(statSync(path('a.txt')).ino, ino)
})

test('what is no list does not replace one, and the others are updated', { skip: skipWithoutOpenssl }, async (t) => {
  const plainPort = await listen(
    t,
    createPlainServer((_, response) => response.end(NAMES)),
  )
  const { update, read, path } = await startListServer(t, {
    '/good.txt': { body: 'new.example\n'.repeat(10) },
    '/html': { body: NAMES, type: 'text/html; charset=utf-8' },
    '/empty': {},
    '/short': { body: 'casino.example\n' },
    '/long': { body: NAMES, length: 2 ** 28 + 1, isCut: true },
    '/cut': { body: NAMES.repeat(10), isCut: true },
    '/error': { status: 500, body: NAMES },
    '/http': { status: 302, location: `http://127.0.0.1:${plainPort}/` },
    '/file': { status: 302, location: 'file:///etc/passwd' },
  })
  const faults: readonly (readonly [place: string, reason: RegExp])[] = [
    ['ORIGIN/html', /the download is a web page$/],
    ['ORIGIN/empty', /must have at least one name; it has none$/],
    [
      'ORIGIN/short',
      /is less than half as long as the current list, 15 bytes instead of 41; remove that one to accept it$/,
    ],
    ['ORIGIN/long', /the download is longer than 256 MiB$/],
    ['ORIGIN/cut', /aborted \(ECONNRESET\)$/],
    ['ORIGIN/error', /the server responded with 500$/],
    ['ORIGIN/missing', /the server responded with 404$/],
    ['ORIGIN/http', /the server redirects to an address without https$/],
    ['ORIGIN/file', /the server redirects to an address without https$/],
    ['http://localhost/list', /the address must begin with https:\/\/$/],
    ['file:///etc/passwd', /the address must begin with https:\/\/$/],
    ['', /the address must begin with https:\/\/$/],
    ['ORIGIN/good.txt more', /there is more than a name and an address$/],
  ]
  for (const [index] of faults.entries()) writeFileSync(path(`list${index}.txt`), NAMES)
  const sources = faults.map(([place], index) => `list${index}.txt ${place}`)
  const { status, lines: reported } = await update([...sources, 'good.txt ORIGIN/good.txt', ''].join('\n'))
  assert.equal(status, 1)
  assert.equal(reported.length, faults.length + 1, reported.join('\n'))
  for (const [index, [place, reason]] of faults.entries()) {
    const [problem = ''] = reported.filter((line) => line.startsWith(`list${index}.txt: `))
    assert.match(problem, reason, place)
    assert.equal(read(`list${index}.txt`), NAMES)
  }
  assert.ok(reported.includes('good.txt: updated'))
  const names = ['../list.txt', '/tmp/list.txt', '.hidden', 'a$b']
  const named = await update(names.map((name) => `${name} ORIGIN/good.txt\n`).join(''))
  assert.equal(named.status, 1)
  for (const name of names)
    assert.ok(
      named.lines.some((line) => line.startsWith(`${name}: `)),
      named.lines.join('\n'),
    )
  assert.doesNotMatch(named.lines.join('\n'), /: (updated|unchanged)/)
  assert.equal((await update('-o ORIGIN/good.txt')).status, 0)
  // The system's certificates do not include that of this server.
  const { lines } = await update('list.txt ORIGIN/good.txt', {})
  assert.match(lines.join(), /^list\.txt: .*\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/)
})

test('the content of a download decides how it is read, not its address', { skip: skipWithoutOpenssl }, async (t) => {
  const archive = archiveOf({ 'adult/domains': NAMES, 'adult/urls': 'x.example/y' })
  const [one = '', two = ''] = NAMES.split(/(?<=casin)/)
  const links = Buffer.concat([
    tarHeader('../../adult/domains', 0, '2'),
    tarHeader('/tmp/../b\n\u001b[31m/bad_domains', 0),
    tarHeader('adult/usage', 0),
    tarHeader('../created/domains/', 0, '5'),
    tarHeader('domains/', 0, '5'),
    tarHeader('domains/readme', 0),
    archive,
  ])
  const pages = {
    '/gzip.txt': gzipSync(NAMES),
    '/download?file=gzip': gzipSync(NAMES),
    '/members.gz': Buffer.concat([gzipSync(one), gzipSync(two)]),
    '/text.gz': NAMES,
    '/text.tar.gz?x=.zip': NAMES,
    '/archive.tgz': gzipSync(archive),
    '/archive.txt?raw=1': gzipSync(archive),
    '/archive.tar.gz': archive,
    '/html-comment.txt': `# <html>\n${NAMES}`,
    '/mistakes': `${RULES.split('\n').slice(1).join('\n')}${NAMES}`,
    '/links': links,
  }
  const server = await startListServer(
    t,
    Object.fromEntries(Object.entries(pages).map(([path, body]) => [path, { body }])),
  )
  const sources = Object.keys(pages).map((path, index) => `${index}.txt ORIGIN${path}`)
  const { status, lines } = await server.update(sources.join('\n'))
  assert.deepEqual(
    lines,
    sources.map((_, index) => `${index}.txt: updated`),
  )
  assert.equal(status, 0)
  const urls = /archive|links/
  for (const [index, source] of sources.entries()) {
    assert.ok(server.read(`${index}.txt`).endsWith(`${NAMES}${urls.test(source) ? '\nx.example/y' : ''}`), source)
  }
})

const RULES = '||casino.example^$third-party\n@@||bet.example^$document\nnews.example##.banner\nnews.example#@#.ad\n'

// Once, such a download replaced the list, and the engine rejected the whole policy at its next start. All formats that are
// recognised: test/engine/policy/file-format.test.ts.
test('what is no list is named, whatever its address, and the current list stays', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const wide = Buffer.from(NAMES, 'utf16le')
  const must = 'must be a list of names; it is'
  const none = 'must have at least one name; it has none'
  const instead = '; a list is text, or files named "domains" and "urls" in a tar archive, also compressed with gzip'
  const rules = `${none}, and 4 lines that name no whole host; it begins "||casino.example^$third-party"`
  const nul = 'must be text; it has NUL bytes'
  const noFile = 'the archive has no file named "domains" or "urls"'
  const end = 'the update failed: unexpected end of file (Z_BUF_ERROR)'
  const damaged = Buffer.concat([archiveOf({ domains: NAMES }).subarray(0, 1024), Buffer.alloc(512, 'x')])
  const cases: readonly (readonly [content: string | Buffer, problem: string])[] = [
    [Buffer.from('504b030414000000', 'hex'), `the download ${must} a zip archive${instead}`],
    ['%PDF-1.7', `the download ${must} a PDF document`],
    [wide, `the download ${must} text in UTF-16: save it as UTF-8`],
    [gzipSync(gzipSync(NAMES)), `unpacked, the download ${must} a gzip file${instead}`],
    [archiveOf({ 'adult/domains': gzipSync(NAMES) }), `the list in the archive ${must} a gzip file${instead}`],
    [archiveOf({ 'a/domains': NAMES.repeat(2), 'a/urls': wide }), `the list in the archive ${nul}`],
    [
      archiveOf({ 'a/domains': NAMES, 'b/urls': NAMES }),
      'the archive has several lists, such as "a" and "b": name the file .tar.gz, and one as its member',
    ],
    [archiveOf({ 'adult/names.txt': NAMES }), noFile],
    [gzipSync(archiveOf({ 'domains/names.txt': NAMES })), noFile],
    [tarHeader('domains', 0, '2'), noFile],
    [archiveOf({ domains: NAMES.repeat(100) }).subarray(0, 1024), 'the archive is cut'],
    [damaged, 'the archive is damaged'],
    [gzipSync(archiveOf({ domains: NAMES.repeat(100) })).subarray(0, 60), end],
    [gzipSync(archiveOf({ domains: NAMES })).subarray(0, -4), end],
    [Buffer.concat([gzipSync(NAMES), Buffer.from(NAMES)]), 'the update failed: incorrect header check (Z_DATA_ERROR)'],
    [`${NAMES}\0`, `the download ${nul}`],
    [`\ufeff\n <!DOCTYPE html>${NAMES}`, `the download ${must} a web page`],
    [
      '\n503 Service \u001b[31m<Unavailable>\n',
      `the download ${none}, and 1 malformed line: line 2; it begins "503 Service \\u{1b}[31m<Unavailable>"`,
    ],
    [
      `${NAMES}${'not a name\n'.repeat(4)}`,
      'the download must have more names than malformed lines; it has 3, and 4 malformed lines: line 4, line 5, line 6, line 7; it begins "casino.example"',
    ],
    ['# casino.example\n! bet.example\n', `the download ${none}; it begins "# casino.example"`],
    [gzipSync(RULES), `unpacked, the download ${rules}`],
    [archiveOf({ domains: RULES }), `the list in the archive ${rules}`],
  ]
  const pages = Object.fromEntries(cases.map(([body], index) => [`/${index}.txt`, { body }]))
  const { update, read, path } = await startListServer(t, pages)
  for (const index of cases.keys()) writeFileSync(path(`${index}.txt`), 'current.example\n')
  const { status, lines } = await update(cases.map((_, index) => `${index}.txt ORIGIN/${index}.txt`).join('\n'))
  assert.deepEqual(
    lines,
    cases.map(([, problem], index) => `${index}.txt: ${problem}`),
  )
  assert.equal(status, 1)
  for (const index of cases.keys()) assert.equal(read(`${index}.txt`), 'current.example\n')
})

test('an archive stays one where the name of its file says so', { skip: skipWithoutOpenssl }, async (t) => {
  const page = '<html>\n<p>\n'
  const lists = gzipSync(archiveOf({ 'ads/domains': NAMES, 'adult/urls': '192.0.2.7/1\n', 'adult/usage': 'black\n' }))
  const cases: readonly (readonly [name: string, body: string | Buffer, outcome: string])[] = [
    ['ut1.tar.gz', lists, 'updated'],
    ['ut1.tgz', lists, 'updated'],
    ['ut1.tar', archiveOf({ 'urls.txt': 'casino.example/x\n' }), 'updated'],
    ['text.tar.gz', NAMES, 'the download must be a tar archive, also compressed with gzip, as its name says'],
    ['pages.tar', archiveOf({ 'a/domains': page, 'b/urls': page }), 'none of the files in the archive is a list'],
    ['cut.tar.gz', lists.subarray(0, -9), 'the update failed: unexpected end of file (Z_BUF_ERROR)'],
  ]
  const pages = Object.fromEntries(cases.map(([name, body]) => [`/${name}`, { body }]))
  const { update, path } = await startListServer(t, pages)
  for (const [name, , outcome] of cases) if (outcome !== 'updated') writeFileSync(path(name), 'current')
  const { lines } = await update(cases.map(([name]) => `${name} ORIGIN/${name}`).join('\n'))
  assert.deepEqual(
    lines,
    cases.map(([name, , outcome]) => `${name}: ${outcome}`),
  )
  for (const [name, body, outcome] of cases) {
    assert.ok(readFileSync(path(name)).equals(Buffer.from(outcome === 'updated' ? body : 'current')), name)
  }
  const again = await update('ut1.tar.gz ORIGIN/ut1.tar.gz')
  assert.deepEqual(again.lines, ['ut1.tar.gz: unchanged'])
})

test('sources as editors of Windows write them, two lines for one file, and wrong arguments', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const { update, run, read, path } = await startListServer(t, { '/a.txt': { body: NAMES } })
  for (const sources of [
    '\ufeff# lists\r\na.txt https://a.example\r\nb.txt https://a.example\r\n',
    'a.txt https://a.example\rb.txt https://a.example',
    'a.txt https://a.example # the first\n b.txt\thttps://a.example\t#c \r\n',
  ]) {
    const found = parseSources(sources).map(({ name, url, problem }) => [name, url?.href, problem])
    const expected = ['a.txt', 'b.txt'].map((name) => [name, 'https://a.example/', undefined])
    assert.deepEqual(found, expected, JSON.stringify(sources))
  }
  writeFileSync(path('a.txt'), 'current.example\n')
  const twice = await update('a.txt ORIGIN/a.txt\nb.txt ORIGIN/a.txt\n# a.txt\na.txt ORIGIN/other')
  assert.equal(twice.status, 1)
  assert.deepEqual(twice.lines.toSorted(), ['a.txt: lines 1, 4 name the same file', 'b.txt: updated'])
  assert.equal(read('a.txt'), 'current.example\n')
  const { status, lines } = await update('a.txt ORIGIN/a.txt\r\n', {}, 'utf16le')
  assert.equal(status, 2)
  assert.match(lines.join('\n'), /lists\.conf must have a file name and an https address a line; it is text in UTF-16/)
  const missing = path('missing.conf')
  assert.deepEqual(await run(missing, path('.')), {
    status: 2,
    lines: [`${missing} must be a file that can be read; the system reports ENOENT`],
  })
  assert.deepEqual(await run(), { status: 2, lines: ['Usage: engine update-lists LISTS.CONF FOLDER'] })
})

test('the proxy of the environment is used, and sees no more than the name of the server', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const { update, origin, trust } = await startListServer(t, { '/a.txt': { body: NAMES } })
  const targets: string[] = []
  const proxy = createPlainServer()
  proxy.on('connect', ({ url = '' }, client) => {
    targets.push(url)
    const upstream = connect(Number(new URL(origin).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [client, upstream]) socket.on('error', () => {})
  })
  const https_proxy = `http://127.0.0.1:${await listen(t, proxy)}`
  assert.equal((await update('a.txt ORIGIN/a.txt', { ...trust, https_proxy })).status, 0)
  assert.deepEqual(targets, [new URL(origin).host])
  const { lines } = await update('a.txt ORIGIN/a.txt', { ...trust, https_proxy, no_proxy: 'localhost' })
  assert.deepEqual([lines, targets.length], [['a.txt: unchanged'], 1])
})

test('a server that stops sending, is slow, or redirects without end, ends the download', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const { download: fetchFrom } = await startListServer(t, {
    '/endless': { body: NAMES, isEndless: true },
    '/silent': { body: NAMES, length: 1000 },
    '/loop': { status: 302, location: '/loop' },
    '/nowhere': { status: 302 },
  })
  for (const [path, changes, message] of [
    ['/endless', { totalMs: 300 }, 'the download took more than 0.005 minutes'],
    ['/silent', { idleMs: 300 }, 'the server sent nothing for 0.3 seconds'],
    ['/loop', {}, 'the server redirects more than 10 times'],
    ['/nowhere', {}, 'the server responded with 302'],
  ] as const) {
    await assert.rejects(fetchFrom(path, { totalMs: 60_000, idleMs: 60_000, ...changes }), { message })
  }
})

test('a signal ends an update, and leaves nothing unfinished', { skip: skipWithoutOpenssl }, async (t) => {
  const { update, path, read } = await startListServer(t, { '/silent': { body: NAMES.repeat(100), length: 10_000 } })
  writeFileSync(path('a.txt'), NAMES)
  const ended = update('a.txt ORIGIN/silent', undefined, 'utf8', 'SIGTERM')
  assert.equal((await ended).status, 1)
  assert.equal(read('a.txt'), NAMES)
})

test('archives of every format that tar writes, with links, devices and long names', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const long = 'a'.repeat(90)
  const names: Readonly<Record<string, string>> = { v7: 'domains', ustar: `${long}/${long}/domains` }
  const formats = ['v7', 'ustar', 'gnu', 'oldgnu', 'posix']
  const archives = formats.map((format) => {
    const name = names[format] ?? `${long}/${long}/${long}${'b'.repeat(99)}/domains`
    const folder = temporaryFolder(t)
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), NAMES)
    mkdirSync(join(folder, 'a'))
    symlinkSync('/etc/passwd', join(folder, 'a', 'domains'))
    // v7 has none.
    if (format !== 'v7') execFileSync('mkfifo', [join(folder, 'a', 'urls')])
    return execFileSync('tar', [`--format=${format}`, '--sort=name', '-cC', folder, '.'], { timeout: 10_000 })
  })
  const pages = Object.fromEntries(archives.map((body, index) => [`/${index}`, { body }]))
  const { update, read, path, lists } = await startListServer(t, pages)
  // A link in place of a list is replaced, and not followed.
  const elsewhere = join(lists, '..', 'elsewhere')
  writeFileSync(elsewhere, 'unchanged')
  symlinkSync(elsewhere, path('gnu'))
  const { status, lines } = await update(formats.map((format, index) => `${format} ORIGIN/${index}`).join('\n'))
  assert.deepEqual(
    lines,
    formats.map((format) => `${format}: updated`),
  )
  assert.equal(status, 0)
  for (const format of formats) assert.equal(read(format), NAMES)
  assert.equal(readFileSync(elsewhere, 'utf8'), 'unchanged')
})

test('a list that grew to more than ten times its length is refused, and a short one may grow', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const long = 'casino.example\n'.repeat(20_000)
  const { update, read, path } = await startListServer(t, {
    '/long.txt': { body: long },
    '/short.txt': { body: 'casino.example\n'.repeat(13_000) },
  })
  const accepted = { status: 0, lines: ['list.txt: updated'] }
  writeFileSync(path('list.txt'), NAMES.repeat(731))
  const { status, lines } = await update('list.txt ORIGIN/long.txt')
  assert.equal(status, 1)
  assert.match(
    `${lines}`,
    /^list\.txt: .* more than ten times as long as the current list, 300000 bytes instead of 29971; remove that one to accept it$/,
  )
  assert.equal(read('list.txt'), NAMES.repeat(731))
  writeFileSync(path('list.txt'), NAMES.repeat(732))
  assert.deepEqual(await update('list.txt ORIGIN/long.txt'), accepted)
  writeFileSync(path('list.txt'), NAMES)
  assert.deepEqual(await update('list.txt ORIGIN/short.txt'), accepted)
  rmSync(path('list.txt'))
  assert.deepEqual(await update('list.txt ORIGIN/long.txt'), accepted)
})

test('a list with exceptions for half of its names is refused, and one with some is not', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const rules = Array.from({ length: 100 }, (_, at) => `||n${at}.example^\n`)
  const excepting = (count: number) =>
    rules.join('') +
    rules
      .slice(0, count)
      .map((rule) => `@@${rule}`)
      .join('')
  const { update, read, path } = await startListServer(t, {
    '/some.txt': { body: excepting(49) },
    '/half.txt': { body: excepting(50) },
  })
  const accepted = { status: 0, lines: ['list.txt: updated'] }
  writeFileSync(path('list.txt'), excepting(0))
  const { status, lines } = await update('list.txt ORIGIN/half.txt')
  assert.equal(status, 1)
  assert.match(
    `${lines}`,
    /^list\.txt: the download must not lose half of its names to exceptions; it has 50 for 100 names, and the last accepted one 0 for 100 names\. Remove the current list to accept it$/,
  )
  assert.equal(read('list.txt'), excepting(0))
  assert.deepEqual(await update('list.txt ORIGIN/some.txt'), accepted)
  assert.deepEqual(await update('list.txt ORIGIN/half.txt'), accepted)
  writeFileSync(path('list.txt'), excepting(0))
  rmSync(path('list.txt'))
  assert.deepEqual(await update('list.txt ORIGIN/half.txt'), accepted)
})

test('neither a line as long as the download nor a header of an archive fills the memory', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const block = Buffer.alloc(16 * 1024 ** 2, 'x')
  const { update } = await startListServer(t, {
    '/line.gz': { body: gzipRepeated(block, 10) },
    '/header.tar.gz': {
      body: Buffer.concat([
        gzipSync(tarHeader('extended', 12 * block.length, 'x')),
        gzipRepeated(Buffer.alloc(block.length), 12),
        gzipSync(tarHeader('adult/domains', 0)),
      ]),
    },
  })
  const { status, lines } = await update('line.txt ORIGIN/line.gz\nheader.txt ORIGIN/header.tar.gz')
  assert.equal(status, 1)
  assert.match(lines.join('\n'), /^line\.txt: .* 1 malformed line: line 1; it begins "x{100}…"$/m)
  assert.match(lines.join('\n'), /^header\.txt: the archive has a header of 201326592 bytes$/m)
})

// With small limits. With the real ones, and memory: test/regressions/a-small-download-filled-the-engines-memory.test.ts.
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

test('a list of the limit, and one that is longer by a byte; of an archive, what is not read counts, too', async () => {
  const archived = (list: Buffer) => gzipSync(archiveOf({ 'a/domains': list }))
  for (const [pack, fault] of [
    [(list: Buffer) => list, 'the download is longer than 256 MiB'],
    [gzipSync, 'unpacked, the download is longer than 256 MiB'],
    [archived, 'the list in the archive is longer than 256 MiB'],
  ] as const) {
    assert.equal(await unpackedLength(pack(names(LIMITS.list))), LIMITS.list)
    await assert.rejects(unpackedLength(pack(names(LIMITS.list + 1))), { message: fault })
  }
  const bomb = gzipSync(Buffer.concat([tarHeader('other', 2 ** 31), Buffer.alloc(LIMITS.unpacked)]))
  await assert.rejects(unpackedLength(bomb), { message: 'the download unpacks to more than 1 GiB' })
})
