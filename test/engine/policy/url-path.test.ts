import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDestination } from '../../../src/contract/destination.ts'
import { isBelow, parsePathPrefix, pathOf } from '../../../src/engine/policy/url-path.ts'

/** Whether a rule that stops, and one that allows, matches this path. */
function matches(prefix: string, path: string): string {
  const parsed = parsePathPrefix(prefix)
  const destination = parseDestination(`https://x.example${path}`)
  assert.ok(parsed && destination)
  const actual = pathOf(destination.rest)
  return `${isBelow(actual, parsed, false) ? 'stops' : ''} ${isBelow(actual, parsed, true) ? 'allows' : ''}`.trim()
}

for (const [prefix, path, expected] of [
  ['/shorts', '/shorts', 'stops allows'],
  ['/shorts/', '/shorts/abc?x#y', 'stops allows'],
  ['/shorts', '/shortstop', ''],
  ['/shorts', '/Shorts', ''],
  ['/shorts', '/a?/shorts', ''],
  ['/shorts', '/%73horts', 'stops'],
  ['/shorts', '//shorts', 'stops'],
  ['/shorts', '/shorts;v=1', 'stops'],
  ['/shorts', '/a/..%2fshorts', 'stops'],
  ['/shorts', '/%2573horts', ''],
  ['/education', '/education/%2e%2e%2fshorts', 'stops'],
  ['/education', '/education/../shorts', ''],
  ['/education', '/education/..;/shorts', 'stops'],
  ['/education', '/education%5c..%5cshorts', ''],
  ['/über', '/%c3%bcber/x', 'stops allows'],
  ['/%C3%BCber', '/über', 'stops allows'],
  ['/', '/anything', 'stops allows'],
  ['/a', '', ''],
] as const) {
  test(`a rule about ${prefix} and the path ${path}: ${expected === '' ? 'no match' : expected}`, () => {
    assert.equal(matches(prefix, path), expected)
  })
}

test('what could never match is no prefix', () => {
  for (const text of ['', 'shorts', '//shorts', '/a?b', '/a#b', '/a;b', '/a\\b', '/a\nb']) {
    assert.equal(parsePathPrefix(text), undefined, text)
  }
})
