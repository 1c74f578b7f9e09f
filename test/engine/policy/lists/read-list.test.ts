import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { LIST_KEY } from '../../../../src/engine/policy/lists/domain-list.ts'
import { rejectionOf } from '../../../../src/engine/policy/lists/load-lists.ts'
import { type ReadList, readList } from '../../../../src/engine/policy/lists/read-list.ts'
import { forgetPeakBytes, peakBytes } from '../../../support/processes.ts'
import { skipUnless } from '../../../support/requirement.ts'
import { entryFor } from '../entries-of.ts'
import { MEMORY, readText } from '../table-of.ts'

const sizeOf = ({ table }: ReadList) => table.hashes.byteLength / 8

test('an entry covers the domain and all below it, and nothing else', () => {
  const list = readText('casino.example\ndeep.sub.bet.example\n')
  assert.equal(entryFor('casino.example', list), 'casino.example')
  assert.equal(entryFor('a.b.c.d.e.casino.example', list), 'casino.example')
  assert.equal(entryFor('x.deep.sub.bet.example', list), 'deep.sub.bet.example')
  for (const host of [
    'example',
    'mycasino.example',
    'casino.example.test',
    'bet.example',
    'sub.bet.example',
    'asino.example',
  ]) {
    assert.equal(entryFor(host, list), undefined, host)
  }
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
    ].join(''),
  )
  assert.deepEqual(list.firstInvalid, [])
  const names = ['plain', 'dotted', 'star', 'indented', 'root', 'hosts', 'one', 'two', 'six', 'seven', 'last']
  for (const name of names) assert.equal(entryFor(`www.${name}.example`, list), `${name}.example`)
  assert.equal(entryFor('xn--bcher-kva.example', list), 'xn--bcher-kva.example')
  assert.equal(entryFor('xn--mnchen-3ya.example', list), 'xn--mnchen-3ya.example')
  assert.equal(entryFor('xn--mnchen-3ya.test', list), 'xn--mnchen-3ya.test')
  assert.equal(entryFor('setup.zip', list), 'zip')
  assert.equal(entryFor('192.0.2.7', list), '192.0.2.7')
  assert.equal(entryFor('2001:db8::7', list), '2001:db8::7')
  assert.equal(sizeOf(list), names.length + 6)
})

test('what hosts files begin with is neither an entry nor a mistake', () => {
  const list = readText(
    '127.0.0.1 localhost\n255.255.255.255 broadcasthost\n::1 ip6-localhost\n0.0.0.0 0.0.0.0\n0.0.0.0 ads.example\n',
  )
  assert.equal(list.invalid, 0)
  assert.equal(sizeOf(list), 1)
  assert.equal(entryFor('localhost', list), undefined)
  assert.equal(entryFor('0.0.0.0', list), undefined)
})

test('malformed lines are counted, and the first ten are named', () => {
  const bad = ['<html>', 'two words', 'a..example', '.', '*.', 'https://x.example/', 'x.example/path', 'a*b.example']
  const more = [
    'word',
    `${'x'.repeat(64)}.example`,
    '1.2.3',
    '*.192.0.2.7',
    'user@x.example',
    '\u0000.example',
    'x'.repeat(6000),
  ]
  const list = readText(['good.example', ...bad, ...more, 'better.example', ...more].join('\n'))
  assert.equal(sizeOf(list), 2)
  assert.equal(list.invalid, bad.length + 2 * more.length)
  assert.equal(list.firstInvalid.length, 10)
  assert.equal(list.firstInvalid[0], 'line 2')
  assert.equal(list.firstInvalid[9], 'line 11')
})

test('lines are counted as editors count them', () => {
  const { firstInvalid } = readText('a.example\r\n\r\nbad line\r\n\n\rworse line\ra.b\n\rworst line')
  assert.deepEqual(firstInvalid, ['line 3', 'line 6', 'line 9'])
})

test('a format that is named is required', () => {
  assert.equal(readText('0.0.0.0 a.example\n', 'names').invalid, 1)
  assert.equal(readText('a.example\n', 'hosts').invalid, 1)
  assert.equal(readText('a.example\n', 'names').invalid, 0)
  assert.equal(readText('0.0.0.0 a.example\n', 'hosts').invalid, 0)
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
  const reject = (content: string, before?: number) => rejectionOf(readText(content), MEMORY, before)
  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.example\n`).join('')
  assert.equal(reject(names(1)), undefined)
  assert.match(reject('') ?? '', /^must have at least one name; it has none$/)
  assert.match(reject('# nothing\n') ?? '', /it has none$/)
  assert.match(reject('not a name\nnor this\n') ?? '', /it has none, and 2 malformed lines: line 1, line 2$/)
  assert.match(
    reject(`${names(2)}<p>\n<p>\n<p>\n`) ?? '',
    /^must have more names than malformed lines; it has 2, and 3 /,
  )
  assert.equal(reject(`${names(3)}<p>\n<p>\n<p>\n`), undefined)
  assert.equal(reject(names(1000), 100), undefined)
  assert.equal(reject(names(10_000), 1), undefined, 'a short list may grow')
  assert.match(
    reject(names(10_001), 1000) ?? '',
    /^must not grow more than tenfold; it has 10001 names, and the last accepted one 1000\. To accept it: /,
  )
  assert.equal(reject(names(10_001), 1001), undefined)
  assert.equal(reject(names(10_001)), undefined, 'the first content')
  assert.equal(reject(names(51), 100), undefined)
  assert.match(
    reject(names(50), 100) ?? '',
    /^must not lose half of its names; it has 50, and the last accepted one 100/,
  )
  assert.match(
    rejectionOf({ ...readText(names(1)), changed: true }, MEMORY, undefined) ?? '',
    /^must not change while it is read/,
  )
  assert.match(
    rejectionOf({ kind: 'unreadable', reason: 'the system reports ENOENT' }, MEMORY, undefined) ?? '',
    /can be read; the system reports ENOENT$/,
  )
})

/** Lines of these numbers. */
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `n${from + index}.example\n`).join('')

test('a list of millions of names holds each once, in whatever order they are repeated', () => {
  const names = 2_500_000
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

test('a list may have its most names, however often it repeats them, and not one more', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'list-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'list.txt')
  const read = (content: string, maximum: number) => {
    writeFileSync(path, content)
    const reading = readList(path, 'auto', LIST_KEY, maximum)
    return reading.kind === 'list' ? sizeOf(reading) : `${reading.names} are too many`
  }
  assert.equal(read(numbered(0, 1000).repeat(30), 1000), 1000)
  assert.equal(read(numbered(0, 1001), 1000), '1001 are too many')
  assert.equal(read('a.example\n'.repeat(100), 1), 1)
  assert.equal(read('a.example\nb.example\n', 1), '2 are too many')
  assert.equal(read('a.example\n', 0), '1 are too many')
  assert.equal(read('# nothing\n', 0), 0)
})

/** By this process, from files and others. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

test('a list with far too many names is not read to its end, and its memory stays within that of the most', {
  skip: skipUnless(process.platform === 'linux', 'needs the peak of the memory that Linux reports'),
}, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'list-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'list.txt')
  for (let from = 0; from < 3_000_000; from += 500_000) {
    writeFileSync(path, numbered(from, from + 500_000), { flag: 'a' })
  }
  forgetPeakBytes(process.pid)
  const [before, readBefore] = [peakBytes(process.pid), bytesRead()]
  const reading = readList(path, 'auto', LIST_KEY, 100_000)
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
