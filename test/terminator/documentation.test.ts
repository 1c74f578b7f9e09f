// docs/terminator.md matches the code: settings and their defaults, and the access log.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import packageJson from '#package' with { type: 'json' }
import { PUBLISHER } from '../../src/portal/settings/brand.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const DOCUMENT = read('docs/terminator.md')

test('it lists every setting of the terminator with its default, and no other', () => {
  const start = read('deploy/terminator/start')
  const used = Array.from(start.matchAll(/\$\{(TERMINATOR_[A-Z_]+):-([^$}]*)/g), ([, name, value]) => [name, value])
  const rows = Array.from(DOCUMENT.matchAll(/^- `(TERMINATOR_[A-Z_]+)` \((?:`([^`)]*)`|[^)]*)\): /gm))
  assert.ok(rows.length > 8)
  assert.deepEqual(new Map(rows.map(([, name, value = '']) => [name, value])), new Map(used as [string, string][]))
})

test('its example of a log line has all fields', () => {
  const [line] = DOCUMENT.match(/^\{"time":.*\}$/m) ?? []
  const format = read('deploy/terminator/nginx.conf').match(/log_format requests[^;]*;/s)?.[0] ?? ''
  const fields = Array.from(format.matchAll(/"(\w+)":/g), ([, name]) => name)
  assert.ok(fields.length > 8)
  assert.deepEqual(Object.keys(JSON.parse(line ?? '')), fields)
})

test('its own page has the version of the release, and the publisher of the portal’s pages', () => {
  const start = read('deploy/terminator/start')
  assert.equal(/^version=(.*)$/m.exec(start)?.[1], packageJson.version)
  assert.equal(/GATEWAY_CAPTIVE_RELEASE_TYPE-(\w*)\}/.exec(start)?.[1], packageJson.releaseType)
  assert.match(read('deploy/terminator/unavailable.html'), new RegExp(`Copyright © \\$\\{YEAR\\} ${PUBLISHER}\\.`))
})
