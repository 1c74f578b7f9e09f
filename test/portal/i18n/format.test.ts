import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES, type Locale } from '../../../src/config/locales.ts'
import {
  formatCount,
  formatDate,
  formatDays,
  formatDuration,
  formatMonth,
  formatNumber,
  formatTime,
} from '../../../src/portal/i18n/format.ts'

test('a time includes its zone, in each language', () => {
  const times = LOCALES.map((locale) => formatTime(1_800_000_000, locale).text)
  assert.equal(formatTime(1_800_000_000, 'de').iso, '2027-01-15T08:00:00.000Z')
  assert.equal(times[0], '15 January 2027 at 08:00:00 UTC')
  for (const time of times) assert.match(time, /2027.*08:00:00 UTC$/)
  assert.match(times.join('\n'), /janvier[\s\S]*Januar[\s\S]*gennaio/)
})

test('a duration has its two largest units', () => {
  const cases: readonly [seconds: number, expected: string][] = [
    // Never zero seconds.
    [0, '1 second'],
    [1, '1 second'],
    [59, '59 seconds'],
    [60, '1 minute'],
    [61, '1 minute and 1 second'],
    [843, '14 minutes and 3 seconds'],
    [3600, '1 hour'],
    [3601, '1 hour and 1 second'],
    [3661, '1 hour and 1 minute'],
    [30 * 24 * 3600, '720 hours'],
  ]
  for (const [seconds, expected] of cases) assert.equal(formatDuration(seconds, 'en'), expected)
  assert.equal(formatDuration(843, 'de'), '14 Minuten und 3 Sekunden')
})

test('a count has the plural form of its number, in each language', () => {
  const forms = { one: '{n} try', other: '{n} tries' }
  const counted = (count: number, locale: Locale) => formatCount(count, locale, forms)
  assert.deepEqual(
    [0, 1, 2, 1000].map((count) => counted(count, 'en')),
    ['0 tries', '1 try', '2 tries', '1,000 tries'],
  )
  assert.equal(counted(0, 'fr'), '0 try')
  assert.equal(counted(0, 'de'), '0 tries')
})

test('days and months are in each language, and the first of a French month is an ordinal', () => {
  const day = Date.UTC(2027, 2, 1, 23, 59, 59)
  const texts = (locale: Locale) => [formatDate(day, locale), formatMonth('2026-11', locale)]
  assert.deepEqual(texts('en'), ['1 March 2027', 'November 2026'])
  assert.deepEqual(texts('fr'), ['1er mars 2027', 'novembre 2026'])
  assert.deepEqual(texts('de'), ['1. März 2027', 'November 2026'])
  assert.deepEqual(texts('it'), ['1 marzo 2027', 'novembre 2026'])
  assert.equal(formatDate(Date.UTC(2027, 2, 11), 'fr'), '11 mars 2027')
})

test('numbers of days have plural forms and digit groups', () => {
  assert.equal(formatDays(1, 'en'), '1 day')
  assert.equal(formatDays(3652, 'de'), '3.652 Tage')
  assert.equal(formatNumber(3652, 'en'), '3,652')
})
