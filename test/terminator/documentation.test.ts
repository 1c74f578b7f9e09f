// docs/terminator.md says again what the code says: settings and their defaults, the PAC file, policies that can be pasted.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseHostAndPort } from '../../src/config/host-and-port.ts'
import { pacFile } from '../../src/config/pac.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const DOCUMENT = read('docs/terminator.md')
const blocks = (language: string) =>
  Array.from(DOCUMENT.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')), ([, block]) => String(block))

test('every setting of the terminator, with its default, and no other', () => {
  const start = read('deploy/terminator/start')
  const used = Array.from(start.matchAll(/\$\{(TERMINATOR_[A-Z_]+):-([^$}]*)/g), ([, name, value]) => [name, value])
  const described = Array.from(start.matchAll(/^# {3}(TERMINATOR_[A-Z_]+) /gm), ([, name]) => name)
  const rows = Array.from(DOCUMENT.matchAll(/^\| `(TERMINATOR_[A-Z_]+)` \|.*\| (?:`([^`|]*)`|[^`|]*.*) \|$/gm))
  assert.deepEqual(new Set(described), new Set(used.map(([name]) => name)))
  assert.deepEqual(new Map(rows.map(([, name, value = '']) => [name, value])), new Map(used as [string, string][]))
})

test('the PAC file is the one that is made', () => {
  const proxy = parseHostAndPort('proxy.example:3128')
  assert.ok(proxy)
  const made = pacFile(proxy, ['portal.example'])
  assert.deepEqual(blocks('js'), [made])
})

test('every policy is JSON', () => {
  assert.equal(blocks('json').length, 4)
  for (const block of blocks('json')) assert.ok(JSON.parse(block))
})

test('the example of a log line has the fields of one', () => {
  const [line] = DOCUMENT.match(/^\{"time":.*\}$/m) ?? []
  const format = read('deploy/terminator/nginx.conf').match(/log_format requests[^;]*;/s)?.[0] ?? ''
  assert.deepEqual(
    Object.keys(JSON.parse(line ?? '')),
    Array.from(format.matchAll(/"(\w+)":/g), ([, name]) => name),
  )
})
