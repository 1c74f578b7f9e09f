// docs/proxy.md and docs/proxy-clients.md match the code: the access log, the PAC file, policies to paste, settings.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseHostAndPort } from '../../src/network/host-and-port.ts'
import { pacFile } from '../../src/network/pac-file.ts'
import { variableNames } from '../../src/settings/names.ts'
import { proxy } from '../../src/settings/sections/proxy.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const CLIENTS = read('docs/proxy-clients.md')
const blocks = (language: string) =>
  Array.from(CLIENTS.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')), ([, block]) => String(block))

test('the example of a log line has all fields', () => {
  const [line] = read('docs/proxy.md').match(/^\{"time":.*\}$/m) ?? []
  const format = /^logformat gateway (.*)$/m.exec(read('deploy/proxy/squid.conf'))?.[1] ?? ''
  const fields = Array.from(format.matchAll(/"(\w+)":/g), ([, name]) => name)
  assert.ok(fields.length > 8)
  assert.deepEqual(Object.keys(JSON.parse(line ?? '')), fields)
})

test('the PAC file is the generated one', () => {
  const address = parseHostAndPort('proxy.example:3128') ?? assert.fail()
  assert.deepEqual(blocks('js'), [pacFile(address, ['portal.example'])])
})

test('the policies are valid JSON', () => {
  assert.equal(blocks('json').length, 5)
  for (const text of blocks('json')) assert.ok(JSON.parse(text))
})

test('the page for clients names no other settings of the proxy than there are', () => {
  const known = variableNames([proxy])
  const named = new Set(CLIENTS.match(/(?<!_)PROXY_[A-Z_]+/g))
  assert.ok(named.size >= 4)
  for (const name of named) assert.ok(known.includes(name), name)
})

test('the rules redirect to the ports of the settings', () => {
  const [rules = ''] = blocks('nft')
  for (const scheme of ['http', 'https']) {
    const [, port] = new RegExp(`^define ${scheme}_port = (\\d+)$`, 'm').exec(rules) ?? []
    assert.match(CLIENTS, new RegExp(`^PROXY_TRANSPARENT_${scheme.toUpperCase()}=${port}$`, 'm'))
  }
})
