// Every fault of a policy's file that prevents a portal from starting, by its message.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { readPolicyText } from '../../src/aup/policy-text.ts'
import { policyFiles } from '../support/policy-files.ts'
import { hasCommand, skipUnless } from '../support/requirement.ts'

const skipWithoutIconv = skipUnless(hasCommand('iconv'), 'needs iconv')

const KIB_256 = 256 * 1024

/** The message about a file with this content, or about one that `make` leaves at the path. */
function faultOf(t: TestContext, content: string | Uint8Array | ((path: string) => void)): string | undefined {
  const { path } = policyFiles(t, typeof content === 'function' ? {} : { 'aup.md': content })
  if (typeof content === 'function') content(path)
  try {
    readPolicyText(path, 'en')
    return undefined
  } catch (error) {
    assert.equal((error as Error).name, 'PolicyFault')
    return (error as Error).message
  }
}

test('a file is read byte for byte, and its digest is that of sha256sum', (t) => {
  for (const source of ['# A\r\n\r\nb\r\n', '\ufeff# A\n', 'no line break at the end – é 🎲', 'a\u2028b\u202ec\t']) {
    const { path } = policyFiles(t, { 'aup.md': source })
    const text = readPolicyText(path, 'fr')
    assert.equal(text.source, source)
    assert.equal(text.locale, 'fr')
    assert.equal(text.sha256, createHash('sha256').update(source).digest('hex'))
  }
  const { path } = policyFiles(t, { 'aup.md': '\ufeff# A\n' })
  // A byte order mark does not hide the heading behind it.
  assert.deepEqual(readPolicyText(path, 'en').nodes, [{ kind: 'heading', level: 1, children: ['A'] }])
})

test('what is no readable file', (t) => {
  const cases: readonly [make: (path: string) => void, fault: string][] = [
    [() => {}, 'must exist; it is missing'],
    [(path) => mkdirSync(path), 'must be a file; it is a folder'],
    [(path) => symlinkSync('/dev/zero', path), 'must be a file; it is a device or a pipe'],
    [(path) => symlinkSync(path, path), 'must be readable; the system reports ELOOP'],
  ]
  for (const [make, fault] of cases) assert.equal(faultOf(t, make), fault)
})

test('256 KiB are accepted, one byte more is rejected, and nothing is read of a huge file', (t) => {
  assert.equal(faultOf(t, 'a'.repeat(KIB_256)), undefined)
  assert.equal(faultOf(t, 'a'.repeat(KIB_256 + 1)), 'must have at most 262144 bytes; it has 262145')
  const started = performance.now()
  // Sparse: reading it would take minutes, and more memory than there is.
  const fault = faultOf(t, (path) => {
    writeFileSync(path, '')
    truncateSync(path, 50 * 1024 ** 3)
  })
  assert.equal(fault, 'must have at most 262144 bytes; it has 53687091200')
  assert.ok(performance.now() - started < 1000)
})

const advice = (encoding: string) => `(save it as UTF-8, or: iconv -f ${encoding} -t UTF-8 OLD > NEW)`
const windows = (line: number) =>
  `must be UTF-8; line ${line} is not: it looks like Windows-1252 ${advice('WINDOWS-1252')}`

test('invalid UTF-8, with its line', (t) => {
  assert.equal(faultOf(t, Buffer.from([0x41, 0x0a, 0xe2, 0x82])), windows(2))
  assert.equal(faultOf(t, Buffer.from([0x41, 0xc0, 0x80])), windows(1))
  assert.equal(faultOf(t, Buffer.from([0x41, 0xed, 0xa0, 0x80])), windows(1))
  assert.equal(faultOf(t, Buffer.from([0x41, 0x81])), 'must be UTF-8; line 1 is not')
  assert.equal(faultOf(t, Buffer.concat([Buffer.alloc(KIB_256 - 2, 'a'), Buffer.from([0x0a, 0xff])])), windows(2))
})

describe('other encodings: advice that destroys nothing', () => {
  const text = '# Für „Spaß“ – 5 €\r\n\r\nŒuvre…\r\n'
  const files: Readonly<Record<string, readonly [Buffer, fault: string, from: string]>> = {
    // As Windows editors save it: these characters have other codes, or none, in ISO 8859-1.
    'Windows-1252': [windows1252(text), windows(1), 'WINDOWS-1252'],
    'UTF-16, with a mark': [
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      `must be UTF-8; it is UTF-16 ${advice('UTF-16')}`,
      'UTF-16',
    ],
    'UTF-16LE': [Buffer.from(text, 'utf16le'), `must be UTF-8; it is UTF-16 ${advice('UTF-16LE')}`, 'UTF-16LE'],
    'UTF-16BE': [
      Buffer.from(text, 'utf16le').swap16(),
      `must be UTF-8; it is UTF-16 ${advice('UTF-16BE')}`,
      'UTF-16BE',
    ],
  }
  for (const [name, [bytes, fault, from]] of Object.entries(files)) {
    test(`${name}: what converts it`, { skip: skipWithoutIconv }, (t) => {
      assert.equal(faultOf(t, bytes), fault)
      const { status, stdout } = spawnSync('iconv', ['-f', from, '-t', 'UTF-8'], { input: bytes })
      assert.equal(status, 0)
      assert.equal(stdout.toString().replace(/^\ufeff/, ''), text)
      assert.equal(faultOf(t, stdout), undefined)
    })
  }
  test('a line in another encoding than the others: no conversion of all', (t) => {
    const both = Buffer.concat([Buffer.from('# Für alle\n\n'), windows1252('Für „Spaß“\n')])
    assert.equal(faultOf(t, both), 'must be UTF-8; line 3 is not, but others are: correct that line')
  })
})

function windows1252(text: string): Buffer {
  const codes: Readonly<Record<string, number>> = { '€': 0x80, '„': 0x84, '…': 0x85, Œ: 0x8c, '“': 0x93, '–': 0x96 }
  return Buffer.from([...text].map((character) => codes[character] ?? character.charCodeAt(0)))
}

test('control characters, with their line', (t) => {
  const holds = (line: number, character: string) =>
    `must contain only text; line ${line} contains the character ${character}`
  assert.equal(faultOf(t, 'a\n\0'), holds(2, 'U+0000'))
  assert.equal(faultOf(t, 'a\r\nb\r\n\u001b[31m'), holds(3, 'U+001B'))
  assert.equal(faultOf(t, 'a\u007f'), holds(1, 'U+007F'))
  assert.equal(faultOf(t, 'a\u0085'), holds(1, 'U+0085'))
  // The marks of the page's template.
  assert.equal(faultOf(t, 'a\ufdd03\ufdd1'), holds(1, 'U+FDD0'))
  assert.equal(faultOf(t, 'a\u{1ffff}'), holds(1, 'U+1FFFF'))
})

test('content without anything visible', (t) => {
  for (const source of [
    '',
    '\ufeff \n\t\r\n',
    '\u00a0\u200b\u2028\u00ad\u3164&nbsp;&#8203;',
    '<!-- a\n\nnote --> <!-->',
    '> ![a](b)\n\n- \n- ![c](d)',
    '---\n***\n',
    '#\n\n## ##\n',
    '[a]: https://x.example "b"',
  ]) {
    const fault = 'must not be empty; it contains nothing that a page would show'
    assert.equal(faultOf(t, source), fault, JSON.stringify(source))
  }
  for (const source of ['0', '<b></b>', '<!-- never ended', '`a`', '[](https://x.example)']) {
    assert.equal(faultOf(t, source), undefined, source)
  }
})

test('content that is nested too deeply', (t) => {
  assert.match(faultOf(t, '> '.repeat(50).concat('a')) ?? '', /^must nest lists, quotes, emphasis and links at most 8/)
})

test('docs/aup.md lists every fault that a policy can have, and no other', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  // Up to the part of a message that varies.
  const rules = globSync('src/aup/*.ts', { cwd: new URL('../../', import.meta.url) })
    .flatMap((path) => Array.from(read(path).matchAll(/['`](must [^'`;$]+)/g), ([, rule = '']) => rule))
    .sort()
  const documented = Array.from(read('docs/aup.md').matchAll(/^- `(must [^`]+)`/gm), ([, message = '']) => message)
  assert.equal(rules.length, 8)
  assert.deepEqual(
    documented.sort().map((message, index) => message.slice(0, rules[index]?.length)),
    rules,
  )
})
