// docs/proxy.md matches deploy/proxy: settings and their defaults, and the access log.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const DOCUMENT = read('docs/proxy.md')

test('it lists every setting of the proxy with its default, and no other', () => {
  const start = read('deploy/proxy/start')
  const used = Array.from(start.matchAll(/\$\{(PROXY_[A-Z_]+):-([^$}"]*)/g), ([, name, value]) => [name, value])
  const head = start.slice(0, start.indexOf('set -euf'))
  const described = Array.from(head.matchAll(/PROXY_[A-Z_]+/g), ([name]) => name)
  const rows = Array.from(DOCUMENT.matchAll(/^\| `(PROXY_[A-Z_]+)` \|.*\| (?:`([^`|]*)`|[^|]*) ?\|$/gm))
  assert.ok(rows.length > 12)
  assert.deepEqual(new Set(described), new Set(used.map(([name]) => name)))
  const defaults = rows.map(([, name, value = '']) => [name, value.startsWith('GATEWAY_') ? '' : value] as const)
  assert.deepEqual(new Map(defaults), new Map(used as [string, string][]))
})

test('its example of a log line has all fields', () => {
  const [line] = DOCUMENT.match(/^\{"time":.*\}$/m) ?? []
  const format = /^logformat gateway (.*)$/m.exec(read('deploy/proxy/squid.conf'))?.[1] ?? ''
  const fields = Array.from(format.matchAll(/"(\w+)":/g), ([, name]) => name)
  assert.ok(fields.length > 8)
  assert.deepEqual(Object.keys(JSON.parse(line ?? '')), fields)
})
