import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LIST_KEY } from '../../../../src/engine/policy/lists/domain-list.ts'
import { rejectionOf } from '../../../../src/engine/policy/lists/load-lists.ts'
import { type ReadList, readList } from '../../../../src/engine/policy/lists/read-list.ts'
import { forgetPeakBytes, peakBytes } from '../../../support/processes.ts'
import { skipUnless } from '../../../support/requirement.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { entryFor, MEMORY, readText } from '../entries-of.ts'

const sizeOf = ({ table }: ReadList) => table.hashes.byteLength / 8

test('an entry covers the domain and all below it, and nothing else', () => {
  const list = readText('casino.example\ndeep.sub.bet.example\n')
  assert.equal(entryFor('casino.example', list), 'casino.example')
  assert.equal(entryFor('a.b.c.d.e.casino.example', list), 'casino.example')
  assert.equal(entryFor('x.deep.sub.bet.example', list), 'deep.sub.bet.example')
  const others = 'example mycasino.example casino.example.test bet.example sub.bet.example asino.example'
  for (const host of others.split(' ')) assert.equal(entryFor(host, list), undefined, host)
  assert.equal(entryFor(`${'a.'.repeat(120)}casino.example`, list), 'casino.example', 'more labels than any name has')
  assert.equal(entryFor(`${'a'.repeat(300)}.casino.example`, list), 'casino.example', 'longer than any name')
})

test('all formats, comments and line ends may be mixed', () => {
  const list = readText(
    [
      '\ufeff# a byte order mark and a comment\r\n! of a filter list\r; of another\n\n \t \r\n',
      'Plain.example\r.dotted.example\n*.star.example\r\n\tindented.example  # with a comment\n',
      'root.example.\n0.0.0.0 hosts.example\r\n127.0.0.1\tone.example two.example # three.example\n:: six.example\n',
      '::1 seven.example\r\r\nbücher.example\nxn--mnchen-3ya.example\nMÜNCHEN.test\n.zip\n192.0.2.7\n2001:DB8::7\nlast.example',
      // What hosts files begin with.
      '\n127.0.0.1 localhost\n255.255.255.255 broadcasthost\n::1 ip6-localhost\n0.0.0.0 0.0.0.0\n',
    ].join(''),
  )
  assert.deepEqual(list.firstInvalid, [])
  const names = 'plain dotted star indented root hosts one two six seven last'.split(' ').map((one) => `${one}.example`)
  const others = 'xn--bcher-kva.example xn--mnchen-3ya.example xn--mnchen-3ya.test zip 192.0.2.7 2001:db8::7'.split(' ')
  for (const name of names) assert.equal(entryFor(`www.${name}`, list), name)
  for (const name of others) assert.equal(entryFor(name, list), name)
  assert.equal(sizeOf(list), names.length + others.length)
  // A format that is named is required.
  const invalid = (text: string) => (['names', 'hosts'] as const).map((format) => readText(text, format).invalid)
  assert.deepEqual(
    [invalid('0.0.0.0 a.example\n'), invalid('a.example\n')],
    [
      [1, 0],
      [0, 1],
    ],
  )
})

test('malformed lines are counted, and the first ten are named', () => {
  const bad =
    '<html> a..example . *. https://x.example/ text/html a.b*c.example/x word 1.2.3 *.192.0.2.7 user@x.example'
  const lines = ['two words', ...bad.split(' '), `${'x'.repeat(64)}.example`, '\u0000.example', 'x'.repeat(6000)]
  const list = readText(['good.example', ...lines, 'better.example', ...lines].join('\n'))
  assert.deepEqual([sizeOf(list), list.invalid], [2, 2 * lines.length])
  assert.deepEqual(
    list.firstInvalid,
    Array.from({ length: 10 }, (_, index) => `line ${index + 2}`),
  )
})

test('lines are counted as editors count them', () => {
  const { firstInvalid } = readText('a.example\r\n\r\nbad line\r\n\n\rworse line\ra.b\n\rworst line')
  assert.deepEqual(firstInvalid, ['line 3', 'line 6', 'line 9'])
})

test('lines that continue beyond a chunk of the file are read whole', () => {
  const comment = `# ${'c'.repeat(997)}\n`
  const content = `${comment.repeat(1048)}${'# '.padEnd(570, 'x')}\nacross.the.border.example\r\n${comment.repeat(1100)}end.example`
  const list = readText(content)
  assert.equal(list.invalid, 0)
  assert.equal(sizeOf(list), 2)
  assert.equal(entryFor('across.the.border.example', list), 'across.the.border.example')
  const tooLong = readText(`a.example\n${'x.'.repeat(2_000_000)}example\nb.example\n`)
  assert.equal(tooLong.invalid, 1)
  assert.equal(sizeOf(tooLong), 2)
})

test('what no list is, is rejected', () => {
  const names = (count: number) => numbered(0, count)
  const rows: readonly (readonly [content: string, before: number | undefined, problem: RegExp | undefined])[] = [
    [names(1), undefined, undefined],
    ['', undefined, /^must have at least one name; it has none$/],
    ['# nothing\n', undefined, /it has none$/],
    ['not a name\nnor this\n', undefined, /it has none, and 2 malformed lines: line 1, line 2$/],
    [`${names(2)}<p>\n<p>\n<p>\n`, undefined, /^must have more names than malformed lines; it has 2, and 3 /],
    [`${names(3)}<p>\n<p>\n<p>\n`, undefined, undefined],
    // A short list may grow, and so may the first content.
    [names(1000), 100, undefined],
    [names(10_000), 1, undefined],
    [names(10_001), undefined, undefined],
    [names(10_001), 1000, /^must not grow more than tenfold; it has 10001 names, and the last accepted one 1000\. To /],
    [names(10_001), 1001, undefined],
    [names(51), 100, undefined],
    [names(50), 100, /^must not lose half of its names; it has 50, and the last accepted one 100/],
  ]
  for (const [content, before, problem] of rows) {
    const rejection = rejectionOf(readText(content), MEMORY, before === undefined ? undefined : acceptedList(before))
    if (problem === undefined) assert.equal(rejection, undefined)
    else assert.match(rejection ?? '', problem)
  }
  const urls = (count: number) => readText(names(100) + 'blog.example/x\n'.repeat(count))
  assert.match(
    `${rejectionOf(urls(5), MEMORY, acceptedList(110, 10))}`,
    /^must not lose half of its URLs; it has 5, and /,
  )
  assert.equal(rejectionOf(urls(6), MEMORY, acceptedList(110, 10)), undefined)
  const changed = rejectionOf({ ...readText(names(1)), changed: true }, MEMORY, undefined)
  assert.match(changed ?? '', /^must not change while it is read/)
  const missing = rejectionOf({ kind: 'unreadable', reason: 'the system reports ENOENT' }, MEMORY, undefined)
  assert.match(missing ?? '', /can be read; the system reports ENOENT$/)
})

test('exceptions that may take off half of a list reject it, as the loss of half of its names does', () => {
  const list = (names: number, exceptions: number) =>
    readText(numbered(0, names) + Array.from({ length: exceptions }, (_, at) => `@@||n${at}.example^\n`).join(''))
  const rows: readonly (readonly [
    now: readonly [names: number, exceptions: number],
    before: readonly [names: number, exceptions: number | undefined],
    problem: RegExp | undefined,
  ])[] = [
    [[100, 49], [100, 0], undefined],
    [
      [100, 50],
      [100, 0],
      /^must not lose half of its names to exceptions; it has 50 for 100 names, and the last accepted one 0 for 100 names\. To accept it: gatewayctl engine reload --accept-losses$/,
    ],
    [[100, 5000], [100, 3], /^must not lose half of its names to exceptions; it has 5000 /],
    // Together with names that are lost.
    [[76, 30], [100, 10], undefined],
    [[75, 30], [100, 10], /to exceptions/],
    [[110, 74], [100, 30], undefined],
    [[110, 75], [100, 30], /to exceptions/],
    // Fewer names, but no more exceptions.
    [[60, 40], [100, 40], undefined],
    // What is mostly exceptions: one large site, and parts of it.
    [[1, 6], [1, 3], undefined],
    [[1, 7], [1, 3], /to exceptions/],
    // Of what an earlier version copied, the number is not known.
    [[1, 7], [1, undefined], undefined],
  ]
  for (const [now, [size, exceptions], problem] of rows) {
    const rejection = rejectionOf(list(...now), MEMORY, { size, counts: { urls: 0, exceptions } })
    if (problem === undefined) assert.equal(rejection, undefined, `${now}`)
    else assert.match(rejection ?? '', problem, `${now}`)
  }
  assert.equal(rejectionOf(list(1, 7), MEMORY, undefined), undefined)
  for (const exceptions of [
    Array.from({ length: 100 }, (_, at) => `n${at}.example CNAME rpz-passthru.\n`),
    Array.from({ length: 100 }, (_, at) => `local-zone: "n${at}.example" transparent\n`),
  ]) {
    const rejection = rejectionOf(readText(numbered(0, 100) + exceptions.join('')), MEMORY, acceptedList(100))
    assert.match(rejection ?? '', /to exceptions/)
  }
})

/** A list in force with this many names. */
const acceptedList = (size: number, urls = 0) => {
  return { size, counts: { urls, exceptions: 0, networks: 0, ipv4Bits: [], ipv6Bits: [] } }
}

/** Lines of these numbers. */
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `n${from + index}.example\n`).join('')

test('a list of a million names holds each once, in whatever order they are repeated', () => {
  const names = 1_200_000
  const parts = [numbered(0, names / 2), numbered(0, names / 2), numbered(names / 2, names)]
  const list = readText(
    parts.map((part) => Buffer.from(part)),
    'auto',
    names,
  )
  assert.equal(sizeOf(list), names)
  for (let index = 0; index < names; index += 997) {
    assert.equal(entryFor(`www.n${index}.example`, list), `n${index}.example`)
    assert.equal(entryFor(`m${index}.example`, list), undefined)
  }
})

/** By this process, from files and others. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

test('a list may have its most names, however often it repeats them; far too many are not read to their end', {
  skip: skipUnless(process.platform === 'linux', 'needs the peak of the memory that Linux reports'),
}, (t) => {
  const file = join(temporaryFolder(t), 'list.txt')
  const read = (content: string, maximum: number) => {
    writeFileSync(file, content)
    const reading = readList(file, 'auto', LIST_KEY, maximum)
    return reading.kind === 'list' ? sizeOf(reading) : `${reading.names} are too many`
  }
  assert.equal(read(numbered(0, 1000).repeat(30), 1000), 1000)
  assert.equal(read(numbered(0, 1001), 1000), '1001 are too many')
  assert.equal(read('a.example\n', 0), '1 are too many')
  assert.equal(read('# nothing\n', 0), 0)

  writeFileSync(file, '')
  for (let from = 0; from < 3_000_000; from += 500_000) appendFileSync(file, numbered(from, from + 500_000))
  forgetPeakBytes(process.pid)
  const [before, readBefore] = [peakBytes(process.pid), bytesRead()]
  const reading = readList(file, 'auto', LIST_KEY, 100_000)
  assert.ok(bytesRead() - readBefore < 5e6)
  assert.ok(peakBytes(process.pid) - before < 30e6, `${peakBytes(process.pid) - before} bytes`)
  assert.ok(reading.kind !== 'list')
  assert.ok(Math.abs(reading.names - 3_000_000) < 400_000, `${reading.names} names`)
})

test('a file that grows is not followed: it counts as changed', {
  skip: skipUnless(process.platform === 'linux', 'needs a file that has more than its length says'),
}, () => {
  const reading = readList('/proc/version', 'auto', LIST_KEY, 1000)
  assert.ok(reading.kind === 'list')
  assert.deepEqual([reading.changed, reading.firstInvalid], [true, ['line 1']])
})
