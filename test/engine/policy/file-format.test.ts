// Files that are no lists, in place of one and of a group's file: each message says what the file is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rejectionOf } from '../../../src/engine/policy/lists/load-lists.ts'
import { configure, policy } from '../running-engine.ts'
import { archiveOf } from '../update-lists/list-server.ts'
import { MEMORY, readText } from './entries-of.ts'

const NAMES = 'casino.example\nbet.example\npoker.example\n'
const wide = (text: string) => Buffer.from(text, 'utf16le')
const beginning = (hex: string) => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from('\n\u00ff\n'.repeat(30))])
const UTF_16 = 'text in UTF-16: save it as UTF-8'

/** Also of a group's file, whose text may look like few formats. */
const FORMATS: readonly (readonly [content: Buffer, is: string])[] = [
  [gzipSync(NAMES.repeat(40)), 'a gzip file: unpack it'],
  [beginning('504b030414000000'), 'a zip archive: unpack it'],
  [beginning(`504b0506${'00'.repeat(18)}`), 'a zip archive: unpack it'],
  [beginning('fd377a585a000004'), 'an xz file: unpack it'],
  [beginning('425a6839314159265359'), 'a bzip2 file: unpack it'],
  [beginning('28b52ffd2449'), 'a zstd file: unpack it'],
  [beginning('377abcaf271c0004'), 'a 7z archive: unpack it'],
  [beginning('526172211a0700'), 'a RAR archive: unpack it'],
  [beginning('04224d186440'), 'an lz4 file: unpack it'],
  [beginning('4c5a495001'), 'an lzip file: unpack it'],
  [beginning('1f9d90'), 'a file of compress: unpack it'],
  [archiveOf({ domains: '' }), 'a tar archive: unpack it'],
  [Buffer.from('%PDF-1.7\n%\u00e4\n'), 'a PDF document'],
  ...[wide(`\ufeff${NAMES}`), wide(NAMES)].flatMap((text) => [
    [text, UTF_16] as const,
    [Buffer.from(text).swap16(), UTF_16] as const,
  ]),
  [Buffer.alloc(600), 'no text: it has NUL bytes'],
  [Buffer.from('\u007fELF\u0000\u0001\n'), 'no text: it has NUL bytes'],
  [Buffer.from('\ufeff\r\n<!DOCTYPE html>\n<title>Sign in</title>'), 'a web page'],
  [Buffer.from('<?xml version="1.0"?>\n<rss>'), 'a web page'],
  [Buffer.from('{\n  "domains": [\n    "casino.example"\n  ]\n}\n'), 'JSON'],
  [Buffer.from('[["casino.example"], ["bet.example"]]'), 'JSON'],
  [
    Buffer.from('version https://git-lfs.github.com/spec/v1\noid x\nsize 1\n'),
    'a pointer of Git LFS: get the file itself',
  ],
]

test('instead of its malformed lines, the message about a list says what the file is', () => {
  for (const [content, is] of FORMATS) {
    assert.equal(rejectionOf(readText([content]), MEMORY, undefined), `must be a list of names; it is ${is}`)
  }
})

test('a list with names and mistakes is one, whatever it begins with', () => {
  for (const line of ['<!-- list -->', '{}', '[section]', 'casino.example^']) {
    const list = readText(`${line}\n${NAMES}`)
    assert.equal(rejectionOf(list, MEMORY, undefined), undefined)
    assert.equal(list.invalid, 1)
  }
  const mistakes = readText('not a name\n[section]\nkey = "value"\n[[lists]]\nprice = $5\n')
  assert.equal(mistakes.fileFormat, undefined)
  assert.match(`${rejectionOf(mistakes, MEMORY, undefined)}`, /it has none, and 5 malformed lines: line 1, /)
})

test('the message about a group says what the file is', () => {
  const toml = policy('[groups]\nstaff = { file = "staff.txt" }')
  const adblock = [Buffer.from('[Adblock Plus 2.0]\ncasino.example\n'), 'an adblock list'] as const
  for (const [content, is] of [...FORMATS, adblock]) {
    const says = `groups.staff.file must name a text file that can be read (it is ${is});`
    assert.throws(
      () => configure(toml, { 'staff.txt': content }),
      ({ message }: Error) => message.includes(says),
      is,
    )
  }
})
