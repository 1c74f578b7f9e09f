// docs/accessibility.md is complete: it has every criterion of WCAG 2.2 at level A and AA, and the tests that it names exist.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)
const report = readFileSync(new URL('docs/accessibility.md', root), 'utf8')

const LEVEL_A = `1.1.1 1.2.1 1.2.2 1.2.3 1.3.1 1.3.2 1.3.3 1.4.1 1.4.2 2.1.1 2.1.2 2.1.4 2.2.1 2.2.2 2.3.1 2.4.1 2.4.2 2.4.3
  2.4.4 2.5.1 2.5.2 2.5.3 2.5.4 3.1.1 3.2.1 3.2.2 3.2.6 3.3.1 3.3.2 3.3.7 4.1.2`
const LEVEL_AA = `1.2.4 1.2.5 1.3.4 1.3.5 1.4.3 1.4.4 1.4.5 1.4.10 1.4.11 1.4.12 1.4.13 2.4.5 2.4.6 2.4.7 2.4.11 2.5.7 2.5.8
  3.1.2 3.2.3 3.2.4 3.3.3 3.3.4 3.3.8 4.1.3`
/** EN 301 549 V3.2.1 is based on WCAG 2.1. */
const SINCE_2_2 = ['2.4.11', '2.5.7', '2.5.8', '3.2.6', '3.3.7', '3.3.8']

// A criterion is supported unless its remarks begin with another result.
const CRITERION = /^- (\d\.\d\.\d+) .+ \((A|AA)\): (?:(Partially supports|Does not support|Not applicable): )?(.+)$/gm
const CHECK = /^- \*\*([^*]+)\*\*, `([^`]+)`: (.*(?:\n {2}.*)*)/gm

const criteria = Array.from(report.matchAll(CRITERION), ([, number = '', level, result = 'Supports', remarks = '']) => {
  return { number, level, result, remarks }
})
const checks = Array.from(report.matchAll(CHECK), ([, name = '', file = '', tests = '']) => {
  return { name, file, tests: tests.replaceAll(/\n */g, ' ') }
})

test('every criterion is listed, with its level', () => {
  const expected = [
    ...LEVEL_A.split(/\s+/).map((number) => ({ number, level: 'A' })),
    ...LEVEL_AA.split(/\s+/).map((number) => ({ number, level: 'AA' })),
  ].sort((one, other) => one.number.localeCompare(other.number, 'en', { numeric: true }))
  assert.equal(expected.length, 55)
  assert.deepEqual(
    criteria.map(({ number, level }) => ({ number, level })),
    expected,
  )
})

test('a sentence names the criteria that EN 301 549 V3.2.1 does not have', () => {
  const [, named = ''] =
    /Its clause in EN 301 549 is `9\.` and its number; (.+?), new in WCAG 2\.2, have none\./s.exec(report) ?? []
  assert.deepEqual(named.split(/,\s+|\s+and\s+/), SINCE_2_2)
})

test('the summary counts the results', () => {
  const count = (result: string): number => criteria.filter((criterion) => criterion.result === result).length
  const [, supported, inapplicable] =
    /Of the 55 criteria, (\d+) are supported and (\d+) do not apply\./.exec(report) ?? []
  assert.deepEqual([count('Supports'), count('Not applicable')], [Number(supported), Number(inapplicable)])
})

test('every result names a listed test or a check by hand', () => {
  const names = new Set(checks.map(({ name }) => name))
  const used = new Set<string>()
  for (const { number, result, remarks } of criteria) {
    const named = Array.from(remarks.matchAll(/\*\*([^*]+)\*\*/g), ([, name = '']) => name)
    assert.deepEqual(
      named.filter((name) => !names.has(name)),
      [],
      number,
    )
    assert.ok(named.length > 0 || /\bby hand\b/i.test(remarks) || result === 'Not applicable', number)
    for (const name of named) used.add(name)
  }
  assert.deepEqual(names, used)
})

test('every test that the report lists exists', () => {
  assert.ok(checks.length > 10)
  for (const { file, tests } of checks) {
    const source = readFileSync(new URL(file, root), 'utf8')
    const names = Array.from(tests.matchAll(/“([^”]+)”/g), ([, name = '']) => name)
    assert.ok(names.length > 0, file)
    for (const name of names) assert.ok(source.includes(name), `${file}: ${name}`)
  }
})
