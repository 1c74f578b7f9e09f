// docs/proxy.md matches the proxy: its settings, and the access log.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { proxyPage } from '../../scripts/write-docs.ts'
import { proxy } from '../../src/settings/sections/proxy.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const DOCUMENT = read('docs/proxy.md').replaceAll('\r\n', '\n')

test('its table of settings is up to date with `npm run docs`', () => {
  assert.equal(DOCUMENT, proxyPage(DOCUMENT))
  for (const name of Object.keys(proxy.variables)) assert.ok(DOCUMENT.includes(`\`${name}\``), name)
})

test('its example of a log line has all fields', () => {
  const [line] = DOCUMENT.match(/^\{"time":.*\}$/m) ?? []
  const format = /^logformat gateway (.*)$/m.exec(read('deploy/proxy/squid.conf'))?.[1] ?? ''
  const fields = Array.from(format.matchAll(/"(\w+)":/g), ([, name]) => name)
  assert.ok(fields.length > 8)
  assert.deepEqual(Object.keys(JSON.parse(line ?? '')), fields)
})
