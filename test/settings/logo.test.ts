// The logo: what is in the file counts, not its name.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { load, problemsOf } from './load.ts'

const SVG = readFileSync(new URL('../../demo/logo.svg', import.meta.url))
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const WEBP = Buffer.from('RIFF\x24\0\0\0WEBPVP8L', 'latin1')
const ROOT = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const NAME = 'GATEWAY_CAPTIVE_BRAND_LOGO'

const fileSystem = (content: Uint8Array | string) => (path: string) => {
  if (!path.endsWith('logo.bin')) throw Object.assign(new Error('missing'), { code: 'ENOENT' })
  return Buffer.from(content)
}
const logo = (content: Uint8Array | string) => load({ [NAME]: 'logo.bin' }, fileSystem(content)).config.brand.logo
const problem = (content: Uint8Array | string, name = 'logo.bin') => {
  const [only = '', ...more] = problemsOf({ [NAME]: name }, fileSystem(content))
  assert.deepEqual(more, [])
  return only
}

test('a relative path is in the folder of the policy, whether that is shown or not', () => {
  const pathWith = (changes: Record<string, string>) =>
    load({ [NAME]: 'img/logo.bin', ...changes }, fileSystem(SVG)).config.brand.logo?.path
  assert.equal(pathWith({}), resolve('/etc/gateway-captive/img/logo.bin'))
  assert.equal(pathWith({ GATEWAY_CAPTIVE_AUP_PATH: '/srv/aup/rules.md' }), resolve('/srv/aup/img/logo.bin'))
  assert.equal(pathWith({ GATEWAY_CAPTIVE_AUP_PATH: 'aup/rules.md' }), resolve('aup/img/logo.bin'))
  assert.equal(pathWith({ [NAME]: '/opt/logo.bin' }), resolve('/opt/logo.bin'))
})

describe('the type is that of the content', () => {
  const types: [string, string, Uint8Array | string][] = [
    ['PNG', 'image/png', PNG],
    ['WebP', 'image/webp', WEBP],
    ['SVG', 'image/svg+xml', SVG],
    [
      'SVG after a declaration, a comment and a document type',
      'image/svg+xml',
      `\ufeff<?xml version="1.0"?>\n<!-- a > b --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n${ROOT}`,
    ],
    [
      'SVG with other attributes first',
      'image/svg+xml',
      "<svg width='1'\n xmlns = 'http://www.w3.org/2000/svg'></svg>",
    ],
  ]
  for (const [name, type, content] of types) {
    test(name, () => {
      assert.equal(logo(content)?.mediaType, type)
      assert.deepEqual(Buffer.from(logo(content)?.bytes ?? []), Buffer.from(content))
    })
  }

  const refused: [string, Uint8Array | string][] = [
    ['an empty file', ''],
    ['HTML', `<!DOCTYPE html><html>${ROOT}</html>`],
    ['an SVG without its namespace, which no browser shows', '<svg viewBox="0 0 1 1"/>'],
    ['an SVG with a document type of its own', `<!DOCTYPE svg [%a;]>${ROOT}`],
    ['an SVG in UTF-16', Buffer.from(`\ufeff${ROOT}`, 'utf16le')],
    ['an SVG with a byte that is not UTF-8', Buffer.concat([Buffer.from(ROOT), Buffer.of(0xff)])],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['many comments without an end', '<!-- -->'.repeat(1000)],
  ]
  for (const [name, content] of refused) {
    test(`refused: ${name}`, () => {
      const rule =
        /^GATEWAY_CAPTIVE_BRAND_LOGO must name an SVG, PNG or WebP file; the file is "\/etc\/.*"; it is now "logo\.bin"$/
      assert.match(problem(content), rule)
    })
  }
})

test('at most 8 KB', () => {
  const svg = (bytes: number) => SVG + ' '.repeat(bytes - SVG.length)
  assert.equal(logo(svg(8192))?.bytes.length, 8192)
  assert.match(problem(svg(8193)), /BRAND_LOGO must name a file of at most 8 KB; the file is "/)
})

test('a file that cannot be read is a problem with its path', () => {
  const rule =
    /must name a file that can be read \(ENOENT\); the file is "\/etc\/gateway-captive\/none\.svg"; it is now/
  assert.match(problem(SVG, 'none.svg'), rule)
})
