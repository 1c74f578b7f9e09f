import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDestination } from '../../src/contract/destination.ts'

test('a control character anywhere is rejected: the URL parser would drop it, and the page would show another URL', () => {
  for (const control of ['\t', '\n', '\r', '\0', '\x1f', '\x7f']) {
    for (const text of [
      `https://news${control}.example/`,
      `https://news.example/a${control}b`,
      `https://a/b${control}`,
    ]) {
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
    rest: '/%C3%A4?b=c#d',
  })
})

test('only absolute http and https URLs', () => {
  for (const text of [
    '',
    '/a',
    '//a.example/',
    'ftp://a.example/',
    'javascript:alert(1)',
    'https:a.example',
    'https:///a',
    'https://\\a',
  ]) {
    assert.equal(parseDestination(text), undefined, text)
  }
})
