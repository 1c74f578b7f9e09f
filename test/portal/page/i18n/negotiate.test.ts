import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  createNegotiation,
  negotiateLocale,
  type OfferedLocales,
  parseLocale,
} from '../../../../src/portal/page/i18n/negotiate.ts'

const all: OfferedLocales = { default: 'en', supported: ['en', 'fr', 'de', 'it'] }
const fewer: OfferedLocales = { default: 'it', supported: ['de', 'it'] }

test('Accept-Language', () => {
  const cases: readonly [header: string | undefined, of: OfferedLocales, expected: string][] = [
    [undefined, all, 'en'],
    ['', all, 'en'],
    ['de', all, 'de'],
    ['de-CH', all, 'de'],
    ['de-Latn-CH-1996', all, 'de'],
    ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', all, 'fr'],
    // Quality first, then order.
    ['it, de', all, 'it'],
    ['it;q=0.5,de;q=0.5', all, 'it'],
    ['en;q=0.001, it;q=0.002', all, 'it'],
    ['de;Q=0.2, fr;Q=0.9', all, 'fr'],
    ['  de\t;\tq=0.9 ,it ; q=1.000', all, 'it'],
    ['de;q=0, it;q=0.1', all, 'it'],
    ['es, pt, it;q=0.1', all, 'it'],
    ['en, fr;q=0.9', fewer, 'it'],
    ['en, de;q=0.1', fewer, 'de'],
    // `*` matches the languages that are not named, the default first.
    ['*', all, 'en'],
    ['*', fewer, 'it'],
    ['de;q=0.2, *;q=0.1', fewer, 'de'],
    ['it;q=0, *', fewer, 'de'],
    ['it;q=0.1, *;q=0.9', fewer, 'de'],
    ['de;q=0, it;q=0, *', fewer, 'it'],
    // Malformed items are ignored, without affecting the others.
    ['de;q=NaN', all, 'en'],
    ['de;q=-1', all, 'en'],
    ['de;q=1.001', all, 'en'],
    ['de;q=Infinity, fr;q=0.1', all, 'fr'],
    ['d\u00e9, \u0000, <script>, fr', all, 'fr'],
    ['de_CH', all, 'en'],
    ['__proto__, constructor, toString', all, 'en'],
    [',,,;;;,de', all, 'de'],
  ]
  for (const [header, offered, expected] of cases) {
    assert.equal(negotiateLocale(header, offered), expected, `${header} of ${offered.supported.join(', ')}`)
  }
})

test('an expensive header has a fast result', () => {
  for (const header of [
    `de${' '.repeat(15_000)}`,
    'de;q=0.5,'.repeat(5000),
    ` ${'\t '.repeat(490)}de`,
    `de${'-a'.repeat(490)}`,
    `de;q=0.${'0'.repeat(900)}1`,
    `de${';q=1'.repeat(240)}`,
  ]) {
    // The fastest of several runs: the machine may be busy.
    const milliseconds = Array.from({ length: 5 }, () => {
      const before = performance.now()
      negotiateLocale(header, all)
      return performance.now() - before
    })
    assert.ok(Math.min(...milliseconds) < 2, `${header.slice(0, 20)}: ${milliseconds} ms`)
    if (header.length > 1000) assert.equal(negotiateLocale(header, all), 'en')
  }
})

test('100,000 different ones: each has its result, and the cache stays small', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const negotiate = createNegotiation(all)
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = heap()
  for (let visitor = 0; visitor < 100_000; visitor++) {
    const locale = ['fr', 'de', 'it'][visitor % 3] as string
    assert.equal(negotiate(`${locale}-x${visitor}, en;q=0.${visitor % 10}${' '.repeat(60)}`), locale)
  }
  const kibibytes = (heap() - before) / 1024
  assert.ok(kibibytes < 1024, `${kibibytes} KiB`)
  assert.equal(negotiate('de'), 'de')
})

test('a locale by name, if it is offered', () => {
  assert.equal(parseLocale('de', all), 'de')
  assert.equal(parseLocale('DE', all), 'de')
  for (const name of [
    '',
    'en',
    'de-CH',
    'd',
    'de ',
    'constructor',
    'x'.repeat(1_000_000),
    undefined,
    null,
    1,
    ['de'],
  ]) {
    assert.equal(parseLocale(name, fewer), undefined)
  }
})
