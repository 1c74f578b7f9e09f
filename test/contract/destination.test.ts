import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseDestination } from '../../src/contract/destination.ts'

test('a control character anywhere is rejected: the URL parser would drop it, and the page would show another URL', () => {
  for (const control of ['\t', '\n', '\r', '\0', '\x1f', '\x7f']) {
    for (const text of [`https://news${control}.example/`, `https://a/b${control}c`, `https://a/b${control}`]) {
      assert.equal(parseDestination(text), undefined, JSON.stringify(text))
    }
  }
})

test('scheme, host and rest, without credentials', () => {
  const parsed = parseDestination('HTTPS://anna:geheim@Münster.example:8443/ä?b=c#d')
  assert.deepEqual(parsed, {
    href: 'https://xn--mnster-3ya.example:8443/%C3%A4?b=c#d',
    scheme: 'https://',
    host: 'xn--mnster-3ya.example:8443',
    readableHost: 'münster.example',
    rest: '/%C3%A4?b=c#d',
  })
})

describe('the readable form of a host', () => {
  const readable = (host: string) => parseDestination(`https://${host}/`)?.readableHost
  test('is that of its language, without the port', () => {
    for (const host of ['bücher.example', 'пример.рф', '日本語ガイド.example', '한국.example']) {
      assert.equal(readable(`${host}:8443`), host)
    }
    assert.equal(readable('مثال.إختبار'), 'مثال.إختبار')
  })
  test('is missing where it adds nothing', () => {
    for (const host of ['news.example', 'xn--', '[::1]', '127.0.0.1']) assert.equal(readable(host), undefined, host)
  })
  test('is missing where it could be taken for another name', () => {
    for (const host of [
      // Two scripts in a label: Cyrillic and Latin, Greek and Latin, Hebrew and Arabic digits.
      ...['pаypal.example', 'gοοgle.example', 'א٠.example'],
      // One script, but all of its letters look like Latin ones.
      ...['аррӏе.example', 'a.хе.example', 'ιουκ.example'],
      // Latin letters of phonetic alphabets, symbols, emoji, a slash that is none.
      ...['ɡooɢle.example', 'bank⁄login.example', 'news∕a.example', '💩.example', '♥.example'],
    ]) {
      assert.equal(readable(host), undefined, host)
    }
  })
})

test('only absolute http and https URLs', () => {
  const others = ['', '/a', '//a.example/', 'ftp://a.example/', 'javascript:alert(1)', 'https:a.example', 'https:///a']
  for (const text of [...others, 'https://\\a']) assert.equal(parseDestination(text), undefined, text)
})
