// docs/proxy.md matches the proxy: the access log.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const DOCUMENT = read('docs/proxy.md').replaceAll('\r\n', '\n')

test('its example of a log line has all fields', () => {
  const [line] = DOCUMENT.match(/^\{"time":.*\}$/m) ?? []
  const format = /^logformat gateway (.*)$/m.exec(read('deploy/proxy/squid.conf'))?.[1] ?? ''
  const fields = Array.from(format.matchAll(/"(\w+)":/g), ([, name]) => name)
  assert.ok(fields.length > 8)
  assert.deepEqual(Object.keys(JSON.parse(line ?? '')), fields)
})
