// The proxy reads what the engine publishes, and nothing else: the folder is shared.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { rangeText } from '../../src/network/address-range.ts'
import type { Published } from '../../src/published/published.ts'
import { readPublished } from '../../src/published/read.ts'
import { publishedFiles } from '../../src/published/write.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder({ after })
const pathOf = (name: string) => join(folder, 'proxy', name)
const write = (files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(pathOf(name), text)
}
beforeEach(() => {
  rmSync(join(folder, 'proxy'), { recursive: true, force: true })
  mkdirSync(join(folder, 'proxy'))
})

const read = (files: Readonly<Record<string, string>>): Published => {
  write(files)
  const reading = readPublished(folder)
  assert.ok('published' in reading, JSON.stringify(reading))
  return reading.published
}
const reasonOf = (files: Readonly<Record<string, string>>): string => {
  write(files)
  const reading = readPublished(folder)
  assert.ok('reason' in reading, JSON.stringify(files))
  return reading.reason
}

const FILES = {
  'portal-names': '192.0.2.7\n[2001:db8::7]\nportal.example\n',
  'exempt-hosts': '.bank.example\n[2001:db8::9]\nwww.clinic.example\n',
  'exempt-clients': '10.20.0.0/16\n2001:db8::/32\n192.0.2.9\n',
  internal: '10.0.0.0/8\n',
  safesearch: 'on\n',
  youtube: 'moderate\n',
  tenants: '.sso.example X-Tenants a.example, 100%.example\n',
  'ruled-hosts': 'some\n',
}

test('what is written is what is read', () => {
  const published = read(FILES)
  assert.deepEqual(publishedFiles(published), FILES)
  assert.deepEqual(published.portalNames, ['192.0.2.7', '2001:db8::7', 'portal.example'])
  assert.deepEqual(published.exemptHosts[0], { host: 'bank.example', below: true })
  assert.deepEqual(published.exemptClients.map(rangeText), ['10.20.0.0/16', '2001:db8::/32', '192.0.2.9'])
  const { safesearch, youtube, tenants, ruledHosts } = published
  assert.deepEqual([safesearch, youtube, ruledHosts], [true, 'moderate', 'some'])
  assert.deepEqual(tenants, [
    { domain: { host: 'sso.example', below: true }, header: 'X-Tenants', value: 'a.example, 100%.example' },
  ])
})

test('missing files of an older engine have no entries, are named, and have every host ruled', () => {
  const { 'ruled-hosts': _, tenants: __, ...older } = FILES
  write(older)
  const reading = readPublished(folder)
  assert.ok('published' in reading)
  assert.deepEqual(reading.missing, ['tenants', 'ruled-hosts'])
  assert.deepEqual([reading.published.tenants, reading.published.ruledHosts], [[], 'every'])
  assert.equal(read({ ...FILES, 'ruled-hosts': '' }).ruledHosts, 'every')
})

describe('a line that is not valid', () => {
  for (const [name, lines] of Object.entries({
    'portal-names': ['.portal.example', 'portal.example all', 'Portal.example', '192.0.2.0/24', 'a..b', '2001:db8::7'],
    'exempt-hosts': [
      ...['a.bank.example\n"/etc/passwd"', '"/etc/passwd"', 'a.bank.example # all', '-i -n', '.', 'Ä.example', ''],
      ...['..example', 'a.example.', '[::1', '[::1]:443', '*.example', '1.2.3', '0x7f.1', 'a.example\r', 'a\0.example'],
      ...[`${'a.'.repeat(127)}a`, '[2001:db8:0:0::7]', 'a.example\n\nb.example'],
    ],
    'exempt-clients': [
      '0.0.0.0/0 ::/0',
      'all',
      '10.0.0.0-10.9.9.9',
      '10.0.0.0/',
      '10.0.0.1#',
      '010.0.0.1',
      'fe80::1%eth0',
    ],
    internal: ['10.0.0.0/33', '10.0.0', '::/129', '10.0.0.0/-1', '"/etc/passwd"'],
    safesearch: ['off', 'on\nhttp_access allow all', 'on ', 'on\non'],
    youtube: ['strict\nhttp_access allow all', 'Strict', 'strict\nmoderate', 'constructor'],
    tenants: [
      ...['login.example Header', 'login.example X-A "\\nhttp_access allow all', 'login.example X_A: value'],
      ...['login.example X-A a\rb', '!login.example X-A b', 'login.example X-A b"', 'login.example  X-A b'],
      ...['login.example Host other.example', 'login.example cookie a=b', `login.example X-A ${'b'.repeat(1001)}`],
      ...[`login.example ${'X'.repeat(65)} b`, 'login.example X-A ä', 'login.example X-A b\\'],
    ],
    'ruled-hosts': ['none', 'some\nevery', 'SOME'],
  })) {
    test(name, () => {
      for (const line of lines) {
        const pattern = new RegExp(`^${pathOf(name)}, line [12]: not valid: [ -~]{0,80}$`)
        assert.match(reasonOf({ ...FILES, [name]: `${line}\n` }), pattern, JSON.stringify(line))
      }
    })
  }

  test('it is named with its number, and quoted without control characters', () => {
    assert.equal(
      reasonOf({ ...FILES, internal: `10.0.0.0/8\n\u001b[31m${'x'.repeat(100)}` }),
      `${pathOf('internal')}, line 2: not valid: ?[31m${'x'.repeat(75)}`,
    )
  })
})

test('a name that another one covers is omitted: with both, Squid would not start', () => {
  const { exemptHosts } = read({
    ...FILES,
    'exempt-hosts': 'bank.example\n.bank.example\na.bank.example\nxbank.example\n',
  })
  assert.deepEqual(
    exemptHosts.map(({ host, below }) => `${host} ${below}`),
    ['bank.example true', 'xbank.example false'],
  )
})

describe('anything but a file of at most 4,000,000 bytes', () => {
  test('a folder, a pipe', () => {
    write(FILES)
    rmSync(pathOf('internal'))
    mkdirSync(pathOf('internal'))
    assert.match(reasonOf({}), /internal cannot be read: it is not a regular file$/)
    rmSync(pathOf('internal'), { recursive: true })
    execFileSync('mkfifo', [pathOf('internal')])
    assert.match(reasonOf({}), /internal cannot be read: it is not a regular file$/)
  })

  test('a larger one', () => {
    const lines = '10.0.0.1\n'.repeat(444_445)
    assert.match(reasonOf({ ...FILES, internal: lines }), /internal is larger than 4000000 bytes$/)
    // The last line needs no line feed.
    assert.equal(read({ ...FILES, internal: lines.slice(9, -1) }).internal.length, 444_444)
  })
})
