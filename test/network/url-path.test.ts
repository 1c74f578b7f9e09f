import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBelow, parsePathPrefix, pathOf } from '../../src/network/url-path.ts'
import { targetOf } from '../engine/request-for.ts'

/** Whether a rule that stops, and one that allows, matches this path. */
function matches(prefix: string, path: string): string {
  const parsed = parsePathPrefix(prefix)
  assert.ok(parsed)
  const actual = pathOf(targetOf(`https://x.example${path}`).target)
  if (actual === 'ambiguous') return actual
  return `${isBelow(actual, parsed, false) ? 'stops' : ''} ${isBelow(actual, parsed, true) ? 'allows' : ''}`.trim()
}

for (const [prefix, path, expected] of [
  ['/shorts', '/shorts', 'stops allows'],
  ['/shorts/', '/shorts/abc?x#y', 'stops allows'],
  ['/shorts', '/shortstop', ''],
  // In another case.
  ['/shorts', '/Shorts', 'stops'],
  ['/SHORTS/A', '/shorts/a/B', 'stops'],
  ['/Shorts', '/Shorts', 'stops allows'],
  ['/shorts', '/%53HORTS/x', 'stops'],
  ['/%53horts', '/shorts', 'stops'],
  ['/shorts', '/a/..;/SHORTS', 'stops'],
  ['/über', '/%C3%9CBER/x', 'stops'],
  ['/über', '/u\u0308ber', 'stops'],
  ['/straße', '/STRASSE', 'stops'],
  ['/video', '/VİDEO', 'stops'],
  ['/kids', '/\u212aids', 'stops'],
  ['/%FCber', '/%DCber', 'stops'],
  ['/shorts', '/a?/shorts', ''],
  ['/shorts', '/shorts/a..b/..c/d../...', 'stops allows'],
  // Encoded once and twice.
  ['/shorts', '/%73horts', 'stops'],
  ['/shorts', '/%2573horts', 'stops'],
  ['/shorts', '/shorts/100%25', 'stops allows'],
  ['/über', '/%c3%bcber/x', 'stops allows'],
  ['/über', '/%cD%Bc', ''],
  ['/\u037c', '/%cD%Bc/x', 'stops allows'],
  ['/a{b', '/a%7Bb/c', 'stops allows'],
  ['/a%2Fb', '/a%2fb/c', 'stops allows'],
  ['/a%2Fb', '/a/b/c', 'stops'],
  ['/a/b', '/a%2fb/c', 'stops'],
  // Slashes.
  ['/shorts', '//shorts', 'stops'],
  ['/shorts', '/%2fshorts', 'stops'],
  ['/a//b', '/a//b/c', 'stops allows'],
  ['/shorts', '/shorts%5cx', 'stops'],
  ['/shorts', '/shorts//x', 'stops allows'],
  // What browsers send and servers may resolve.
  ['/shorts', '/shorts;v=1', 'stops'],
  ['/shorts', '/shorts%3Bv=1', 'stops'],
  ['/shorts', '/a/..%2fshorts', 'stops'],
  ['/shorts', '/a/..%252fshorts', 'stops'],
  ['/shorts', '/a/..%5cshorts', 'stops'],
  ['/shorts', '/a/..;/shorts', 'stops'],
  ['/shorts', '/a/..%3b/shorts', 'stops'],
  ['/shorts', '/%73horts/ID/..;/..;/', 'stops'],
  ['/shorts', '/shorts%00.html', 'stops'],
  ['/education', '/education/..;/shorts', 'stops'],
  ['/education', '/education/a%2fb/..%2fc', 'stops allows'],
  ['/education', '/education/a;v=1/b;w=2', 'stops allows'],
  // What browsers resolve.
  ['/shorts', '/shorts/ID/../..', 'ambiguous'],
  ['/shorts', '/shorts/ID/%2e%2e/%2E%2E', 'ambiguous'],
  ['/shorts', '/shorts/%2e?x', 'ambiguous'],
  ['/shorts', '/shorts/ID\\..\\..', 'ambiguous'],
  ['/shorts', '\\x', 'ambiguous'],
  ['/lessons', '/shorts/ID/../../lessons', 'ambiguous'],
  ['/', '/anything', 'stops allows'],
  ['/', '?x', 'stops allows'],
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

test('paths that are unusual and honest have few readings', () => {
  const readings = (path: string) => {
    const read = pathOf(path)
    return read === 'ambiguous' ? read : read.all.length
  }
  assert.equal(readings('/watch/abc'), 1)
  assert.equal(readings(`/${'%D0%B0'.repeat(1300)}`), 2)
  assert.equal(readings('/web/2026/https://x.example/a'), 2)
  assert.equal(readings('/proxy/https%253A%252F%252Fx.example%252Fa'), 5)
  const contrived = readings('/a;v=1//b/https%3A%2F%2Fx%2F%253B%20a%3Bb%252F%252Fc')
  assert.ok(Number(contrived) > 10 && Number(contrived) < 128, `${contrived}`)
})

test('a path of 8 KB that is made to have many readings costs little', () => {
  const segments = ['a/..;/%2e%2e%2f%5c%00%255c%252f%3b;x//', ';a/b//%2f%3b%253b', '%253b%252f', '%2525']
  for (const segment of segments) {
    const path = `/${segment.repeat(8190 / segment.length)}`
    pathOf(path)
    const { user } = process.cpuUsage()
    for (let count = 0; count < 20; count++) pathOf(path)
    const milliseconds = (process.cpuUsage().user - user) / 1000 / 20
    assert.ok(milliseconds < 20, `${segment}: ${milliseconds} ms`)
  }
  assert.equal(pathOf(`/${segments[0]?.repeat(200)}`), 'ambiguous')
  // The same, in few bytes.
  assert.equal(pathOf('/shorts/..%2f..%5c..;/x%00%2500%255c//%252e%252e%252f;a'), 'ambiguous')
})
