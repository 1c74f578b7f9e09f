// docs/proxy-clients.md matches the code: the PAC file, policies to paste, settings of the proxy.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { pacFile } from '../../src/gatewayctl/portal/pac-file.ts'
import { parseHostAndPort } from '../../src/network/host-and-port.ts'
import { variableNames } from '../../src/settings/names.ts'
import { proxy } from '../../src/settings/sections/proxy.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const DOCUMENT = read('docs/proxy-clients.md')
const blocks = (language: string) =>
  Array.from(DOCUMENT.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')), ([, block]) => String(block))

test('its PAC file is the generated one', () => {
  const address = parseHostAndPort('proxy.example:3128')
  assert.ok(address)
  const made = pacFile(address, ['portal.example'])
  assert.deepEqual(blocks('js'), [made])
})

test('its policies are valid JSON', () => {
  assert.equal(blocks('json').length, 5)
  for (const text of blocks('json')) assert.ok(JSON.parse(text))
})

test('it names no other settings of the proxy than there are', () => {
  const known = variableNames([proxy])
  const named = new Set(DOCUMENT.match(/PROXY_[A-Z_]+/g))
  assert.ok(named.size >= 4)
  for (const name of named) assert.ok(known.includes(name), name)
})

test('its rules redirect to the ports of its settings', () => {
  const [rules = ''] = blocks('nft')
  for (const scheme of ['http', 'https']) {
    const [, port] = new RegExp(`^define ${scheme}_port = (\\d+)$`, 'm').exec(rules) ?? []
    assert.match(DOCUMENT, new RegExp(`^PROXY_TRANSPARENT_${scheme.toUpperCase()}=${port}$`, 'm'))
  }
})
