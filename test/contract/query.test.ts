import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseVerdictQuery } from '../../src/contract/query.ts'

test('the three parameters, in any order', () => {
  const expected = { p: 'abc', ts: 1800000000, text: 'p=abc&v=1&ts=1800000000' }
  assert.deepEqual(parseVerdictQuery('p=abc&v=1&ts=1800000000'), expected)
  assert.deepEqual(parseVerdictQuery('ts=1800000000&p=abc&v=1'), expected)
})

test('an unsupported version is distinguished from a malformed query', () => {
  assert.equal(parseVerdictQuery('p=abc&v=2&ts=1800000000'), 'unsupported-version')
  assert.equal(parseVerdictQuery(`p=abc&v=${'9'.repeat(400)}&ts=1800000000`), 'unsupported-version')
})

const malformed = [
  '',
  'p=abc',
  'v=1&ts=1800000000',
  'p=&v=1&ts=1800000000',
  'p=abc&v=&ts=1800000000',
  'p=abc&v=1&ts=',
  'p&v=1&ts=1800000000',
  'p=a&p=b&v=1&ts=1800000000',
  'p=abc&v=1&v=1&ts=1800000000',
  'p=abc&v=1&ts=1800000000&ts=1800000000',
  'p[]=abc&v=1&ts=1800000000',
  'P=abc&v=1&ts=1800000000',
  '%70=abc&v=1&ts=1800000000',
  'p=abc&v=1&ts=1800000000&x=1',
  'p=abc&v=1&ts=1800000000&',
  '&p=abc&v=1&ts=1800000000',
  'p=abc&&v=1&ts=1800000000',
  'p=abc;v=1;ts=1800000000',
  'p=abc&v=01&ts=1800000000',
  'p=abc&v=0&ts=1800000000',
  'p=abc&v=1.0&ts=1800000000',
  'p=abc&v=-1&ts=1800000000',
  ...['0x6b49d200', '1e9', '+1700000000', '1700000000.5', ' 1700000000', '170000000', '17000000000', '0700000000'].map(
    (ts) => `p=abc&v=1&ts=${ts}`,
  ),
  'p=abc&v=1&ts=١٧٠٠٠٠٠٠٠٠',
  `p=abc&v=1&ts=${'1'.repeat(30)}`,
  `p=abc&v=1&ts=1800000000${'&x=1'.repeat(2000)}`,
]
for (const query of malformed) {
  test(`malformed: ${query.slice(0, 60)}`, () => assert.equal(parseVerdictQuery(query), 'malformed'))
}
