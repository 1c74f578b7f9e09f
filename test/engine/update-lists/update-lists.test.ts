import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parseSources } from '../../../src/engine/update-lists/sources.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import { archiveOf, gzipRepeated, startListServer, tarHeader } from './list-server.ts'

const NAMES = 'casino.example\nbet.example\npoker.example\n'

function folderWith(t: TestContext, name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), content)
  return folder
}

test('text, gzip and archives; unchanged lists stay; comments and a last line without an end', {
  skip: skipWithoutOpenssl,
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

test('what is no list does not replace one, and the others are updated', { skip: skipWithoutOpenssl }, async (t) => {
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
  })
  const faults: readonly (readonly [place: string, reason: RegExp])[] = [
    ['ORIGIN/html', /the download is a web page$/],
    ['ORIGIN/disguised', /it is a web page$/],
    ['ORIGIN/empty', /must have at least one name; it has none$/],
    ['ORIGIN/blank', /must have at least one name; it has none$/],
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
    ['ORIGIN/broken.gz', /unexpected end of file \(Z_BUF_ERROR\)$/],
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
  assert.ok(!named.lines.some((line) => /: (updated|unchanged)/.test(line)), named.lines.join('\n'))
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
    tarHeader('/tmp/../created/domains', 0),
    tarHeader('../created/domains/', 0, '5'),
    tarHeader('domains/', 0, '5'),
    tarHeader('domains/readme', 0),
    archive,
  ])
  const old = execFileSync('tar', ['--format=v7', '-cC', folderWith(t, 'domains', NAMES), 'domains'], {
    timeout: 10_000,
  })
  const pages = {
    '/gzip.txt': gzipSync(NAMES),
    '/gzip': gzipSync(NAMES),
    '/download?file=gzip': gzipSync(NAMES),
    '/members.gz': Buffer.concat([gzipSync(one), gzipSync(two)]),
    '/text.gz': NAMES,
    '/text.tar.gz?x=.zip': NAMES,
    '/text.zip': NAMES,
    '/archive.tgz#part': gzipSync(archive),
    '/archive.gz': gzipSync(archive),
    '/archive.txt?raw=1': gzipSync(archive),
    '/archive.tar.gz': archive,
    '/archive.txt': archive,
    '/old': old,
    '/html-comment.txt': `# <html>\n${NAMES}`,
    '/links': links,
  }
  const server = await startListServer(
    t,
    Object.fromEntries(Object.entries(pages).map(([path, body]) => [path.replace(/#.*/, ''), { body }])),
  )
  const joined =
    '; joined 2 files of the archive: /tmp/../created/domains, adult/domains; without 1 link of the archive'
  const sources = Object.keys(pages).map((path, index) => `${index}.txt ORIGIN${path}`)
  const { status, lines } = await server.update(sources.join('\n'))
  assert.deepEqual(
    lines,
    sources.map((_, index) => `${index}.txt: updated${index === sources.length - 1 ? joined : ''}`),
  )
  assert.equal(status, 0)
  for (const [index, source] of sources.entries()) assert.ok(server.read(`${index}.txt`).endsWith(NAMES), source)
})

const JSON_LIST = JSON.stringify({ domains: NAMES.trim().split('\n') }, null, 2)
const RULES = '||casino.example^\n@@||bet.example^$document\nnews.example##.banner\nnews.example#@#.ad\n'
const BINARY: Readonly<Record<string, readonly [content: string, is: string]>> = {
  zip: ['504b030414000000', 'a zip archive'],
  'zip without files': [`504b0506${'00'.repeat(18)}`, 'a zip archive'],
  xz: ['fd377a585a000004', 'an xz file'],
  bzip2: ['425a6839314159265359', 'a bzip2 file'],
  zstd: ['28b52ffd2449', 'a zstd file'],
  '7z': ['377abcaf271c0004', 'a 7z archive'],
  rar: ['526172211a0700', 'a RAR archive'],
  lz4: ['04224d186440', 'an lz4 file'],
  compress: ['1f9d9063', 'a file of compress'],
  lzip: ['4c5a495001', 'an lzip file'],
  pdf: [Buffer.from('%PDF-1.7').toString('hex'), 'a PDF document'],
}

// Once, such a download replaced the list, and the engine rejected the whole policy at its next start.
test('what is no list is named, whatever its address, and the current list stays', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const wide = (text: string) => Buffer.from(text, 'utf16le')
  const must = 'must be a list of names; it is'
  const instead = '; a list is text, or files named "domains" in a tar archive, also compressed with gzip'
  const wideText = `${must} text in UTF-16: save it as UTF-8`
  const adblock = `${must} an adblock list (||name^): get it as names or as a hosts file`
  const nul = 'must be text; it has NUL bytes'
  const none = 'must have at least one name; it has none'
  const one = `${none}, and 1 malformed line: line 1; it begins`
  const cases: readonly (readonly [content: string | Buffer, problem: string])[] = [
    ...Object.values(BINARY).map(
      ([hex, is]) =>
        [Buffer.from(hex, 'hex'), `the download ${must} ${is}${is.endsWith('ment') ? '' : instead}`] as const,
    ),
    [wide(`\ufeff${NAMES}`), `the download ${wideText}`],
    [wide(`\ufeff${NAMES}`).swap16(), `the download ${wideText}`],
    [wide(NAMES), `the download ${wideText}`],
    [wide(NAMES).swap16(), `the download ${wideText}`],
    [gzipSync(wide(`\ufeff${NAMES}`)), `unpacked, the download ${wideText}`],
    [gzipSync(gzipSync(NAMES)), `unpacked, the download ${must} a gzip file${instead}`],
    [gzipSync(Buffer.from('504b0304140000', 'hex')), `unpacked, the download ${must} a zip archive${instead}`],
    [archiveOf({ 'adult/domains': gzipSync(NAMES) }), `the list in the archive ${must} a gzip file${instead}`],
    [archiveOf({ 'adult/domains': wide(NAMES) }), `the list in the archive ${wideText}`],
    [archiveOf({ 'a/domains': NAMES.repeat(2), 'b/domains': wide(NAMES) }), `the list in the archive ${nul}`],
    [archiveOf({ 'adult/names.txt': NAMES }), 'the archive has no file named "domains"'],
    [gzipSync(archiveOf({ 'domains/names.txt': NAMES })), 'the archive has no file named "domains"'],
    [tarHeader('domains', 0, '2'), 'the archive has no file named "domains"'],
    [archiveOf({ domains: NAMES.repeat(100) }).subarray(0, 1024), 'the archive is cut'],
    [
      Buffer.concat([archiveOf({ domains: NAMES }).subarray(0, 1024), Buffer.alloc(512, 'x')]),
      'the archive is damaged',
    ],
    [
      gzipSync(archiveOf({ domains: NAMES.repeat(100) })).subarray(0, 60),
      'the update failed: unexpected end of file (Z_BUF_ERROR)',
    ],
    [
      gzipSync(archiveOf({ domains: NAMES })).subarray(0, -4),
      'the update failed: unexpected end of file (Z_BUF_ERROR)',
    ],
    [gzipSync(NAMES).subarray(0, 30), 'the update failed: unexpected end of file (Z_BUF_ERROR)'],
    [Buffer.concat([gzipSync(NAMES), Buffer.from(NAMES)]), 'the update failed: incorrect header check (Z_DATA_ERROR)'],
    [`${NAMES}\0`, `the download ${nul}`],
    [Buffer.alloc(4096), `the download ${must} no text: it has NUL bytes`],
    [JSON_LIST, `the download ${must} JSON`],
    [`\ufeff  ${JSON.stringify(NAMES.trim().split('\n'))}`, `the download ${must} JSON`],
    [`\ufeff\n <!DOCTYPE html>${NAMES}`, `the download ${must} a web page`],
    [`<?xml version="1.0"?>${NAMES}`, `the download ${must} a web page`],
    [
      'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n',
      `the download ${must} a pointer of Git LFS: get the file itself`,
    ],
    ['404: Not Found', `the download ${one} "404: Not Found"`],
    [
      '\n503 Service \u001b[31m<Unavailable>\n',
      `the download ${none}, and 1 malformed line: line 2; it begins "503 Service \\u{1b}[31m<Unavailable>"`,
    ],
    ['Not Found', `the download ${one} "Not Found"`],
    ['The list has moved to another place.\n', `the download ${one} "The list has moved to another place."`],
    [
      'address=/casino.example/0.0.0.0\naddress=/bet.example/0.0.0.0\n',
      `the download ${none}, and 2 malformed lines: line 1, line 2; it begins "address=/casino.example/0.0.0.0"`,
    ],
    [
      `${NAMES}${'not a name\n'.repeat(4)}`,
      'the download must have more names than malformed lines; it has 3, and 4 malformed lines: line 4, line 5, line 6, line 7; it begins "casino.example"',
    ],
    [`# casino.example\n! bet.example\n`, `the download ${none}; it begins "# casino.example"`],
    [RULES, `the download ${adblock}`],
    [`[uBlock Origin]\n${RULES}`, `the download ${adblock}`],
    [`\ufeff[Adblock Plus 2.0]\r\n! Title: x\r\n/banner/*/ad\r\n-ad-\r\ncasino.example\r\n`, `the download ${adblock}`],
    [gzipSync(`${NAMES}${RULES}`), `unpacked, the download ${adblock}`],
    [archiveOf({ domains: RULES }), `the list in the archive ${adblock}`],
  ]
  const { update, read, path } = await startListServer(
    t,
    Object.fromEntries(cases.map(([body], index) => [`/${index}.txt`, { body }])),
  )
  for (const index of cases.keys()) writeFileSync(path(`${index}.txt`), 'current.example\n')
  const { status, lines: said } = await update(cases.map((_, index) => `${index}.txt ORIGIN/${index}.txt`).join('\n'))
  assert.deepEqual(
    said,
    cases.map(([, problem], index) => `${index}.txt: ${problem}`),
  )
  assert.equal(status, 1)
  for (const index of cases.keys()) assert.equal(read(`${index}.txt`), 'current.example\n')
})

test('a list with comments, mistakes and some rules of filter lists is one while most lines are names', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const lists = [
    `${NAMES}${RULES.split('\n').slice(1).join('\n')}`,
    '# a\r0.0.0.0 casino.example # costs $a\r\n:: bet.example poker.example#a^\r!x\r;y',
    'bücher.example\n.zip\n*.casino.example\n2001:db8::7\n192.0.2.7\n\ufeffbet.example\n',
    '127.0.0.1 localhost\n0.0.0.0 casino.example\n',
  ]
  const { update } = await startListServer(t, Object.fromEntries(lists.map((body, index) => [`/${index}`, { body }])))
  assert.deepEqual(await update(lists.map((_, index) => `${index}.txt ORIGIN/${index}`).join('\n')), {
    status: 0,
    lines: lists.map((_, index) => `${index}.txt: updated`),
  })
})

test('a list that was joined from several files of an archive says so each time', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`list ${index}/domains`, `n${index}.example`]),
  )
  const hostile = archiveOf({ 'a/domains': NAMES, 'b\n\u001b[31m/bad_domains': 'x.example' })
  const { update } = await startListServer(t, {
    '/twelve': { body: gzipSync(archiveOf(files)) },
    '/hostile': { body: Buffer.concat([tarHeader('c/domains', 0, '1'), tarHeader('d/domains', 0, '2'), hostile]) },
  })
  const twelve = Array.from({ length: 10 }, (_, index) => `list ${index}/domains`).join(', ')
  for (const done of ['updated', 'unchanged']) {
    assert.deepEqual(await update('a.txt ORIGIN/twelve\nb.txt ORIGIN/hostile'), {
      status: 0,
      lines: [
        `a.txt: ${done}; joined 12 files of the archive: ${twelve}, …`,
        `b.txt: ${done}; joined 2 files of the archive: a/domains, b\\u{a}\\u{1b}[31m/bad_domains; without 2 links of the archive`,
      ],
    })
  }
})

test('sources as editors of Windows write them, and comments', { skip: skipWithoutOpenssl }, async (t) => {
  const { update } = await startListServer(t, { '/a.txt': { body: NAMES } })
  const updated = { status: 0, lines: ['a.txt: updated', 'b.txt: updated'] }
  assert.deepEqual(await update('\ufeffa.txt ORIGIN/a.txt\r\n\r\n# b\r\nb.txt ORIGIN/a.txt'), updated)
  for (const sources of [
    '\ufeff# lists\r\na.txt https://a.example\r\nb.txt https://a.example\r\n',
    'a.txt https://a.example\rb.txt https://a.example',
    'a.txt https://a.example # the first\n b.txt\thttps://a.example\t#c \r\n',
  ]) {
    const read = parseSources(sources).map(({ name, url, problem }) => [name, url?.href, problem])
    const expected = ['a.txt', 'b.txt'].map((name) => [name, 'https://a.example/', undefined])
    assert.deepEqual(read, expected, JSON.stringify(sources))
  }
  const { status, lines } = await update('a.txt ORIGIN/a.txt\r\n', {}, 'utf16le')
  assert.equal(status, 2)
  assert.match(
    lines.join('\n'),
    /lists\.conf must have a file name and an https address a line; it is text in UTF-16: save it as UTF-8$/,
  )
})

test('two lines for one file are refused, both of them, and the other lists are updated', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const { update, read, path } = await startListServer(t, { '/a.txt': { body: NAMES } })
  writeFileSync(path('a.txt'), 'current.example\n')
  const { status, lines } = await update('a.txt ORIGIN/a.txt\nb.txt ORIGIN/a.txt\n# a.txt\na.txt ORIGIN/other')
  assert.equal(status, 1)
  assert.deepEqual(lines.toSorted(), ['a.txt: lines 1, 4 name the same file', 'b.txt: updated'])
  assert.equal(read('a.txt'), 'current.example\n')
})

test('without sources, or with other arguments, nothing is updated', { skip: skipWithoutOpenssl }, async (t) => {
  const { run, path } = await startListServer(t, {})
  const missing = path('missing.conf')
  assert.deepEqual(await run(missing, path('.')), {
    status: 2,
    lines: [`${missing} must be a file that can be read; the system reports ENOENT`],
  })
  for (const args of [[], [missing, path('.'), 'more']]) {
    assert.deepEqual(await run(...args), { status: 2, lines: ['Usage: engine update-lists LISTS.CONF FOLDER'] })
  }
})

test('the proxy of the environment is used, and sees no more than the name of the server', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const { update, origin, trust } = await startListServer(t, { '/a.txt': { body: NAMES } })
  const targets: string[] = []
  const proxy = createPlainServer().listen(0, '127.0.0.1')
  proxy.on('connect', ({ url = '' }, client) => {
    targets.push(url)
    const upstream = connect(Number(new URL(origin).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [client, upstream]) socket.on('error', () => {})
  })
  await once(proxy, 'listening')
  t.after(() => proxy.close())
  const https_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  assert.deepEqual(await update('a.txt ORIGIN/a.txt', { ...trust, https_proxy }), {
    status: 0,
    lines: ['a.txt: updated'],
  })
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
  const limits = { totalMs: 60_000, idleMs: 60_000 }
  await assert.rejects(
    fetchFrom('/endless', { ...limits, totalMs: 300 }),
    /^Error: the download took more than 0.005 minutes$/,
  )
  await assert.rejects(
    fetchFrom('/silent', { ...limits, idleMs: 300 }),
    /^Error: the server sent nothing for 0.3 seconds$/,
  )
  await assert.rejects(fetchFrom('/loop', limits), /^Error: the server redirects more than 10 times$/)
  await assert.rejects(fetchFrom('/nowhere', limits), /^Error: the server responded with 302$/)
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
  const formats = ['v7', 'ustar', 'gnu', 'oldgnu', 'posix']
  const long = 'a'.repeat(90)
  const archives = formats.map((format) => {
    const name =
      format === 'v7'
        ? 'domains'
        : format === 'ustar'
          ? `${long}/${long}/domains`
          : `${long}/${long}/${long}${'b'.repeat(99)}domains`
    const folder = folderWith(t, 'other', 'x.example')
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), NAMES)
    symlinkSync('/etc/passwd', join(folder, 'a-domains'))
    // v7 has none.
    if (format !== 'v7') execFileSync('mkfifo', [join(folder, 'b-domains')])
    return execFileSync('tar', [`--format=${format}`, '--sort=name', '-cC', folder, '.'], { timeout: 10_000 })
  })
  const { update, read } = await startListServer(
    t,
    Object.fromEntries(archives.map((body, index) => [`/${index}`, { body }])),
  )
  const { status, lines } = await update(formats.map((format, index) => `${format} ORIGIN/${index}`).join('\n'))
  assert.deepEqual(
    lines,
    formats.map((format) => `${format}: updated; without 1 link of the archive`),
  )
  assert.equal(status, 0)
  for (const format of formats) assert.equal(read(format), NAMES)
})

test('a link in place of a list is replaced, not followed; a folder that cannot be written is an error', {
  skip: skipWithoutOpenssl,
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
  skip: skipWithoutOpenssl,
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
  assert.deepEqual(await update('line.txt ORIGIN/line.gz'), {
    status: 1,
    lines: [
      `line.txt: unpacked, the download must have at least one name; it has none, and 1 malformed line: line 1; it begins "${'x'.repeat(100)}…"`,
    ],
  })
  assert.deepEqual(await update('header.txt ORIGIN/header.tar.gz'), {
    status: 1,
    lines: ['header.txt: the archive has a header of 201326592 bytes'],
  })
})
