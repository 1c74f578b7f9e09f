import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatCount,
  formatDate,
  formatDays,
  formatDuration,
  formatMonth,
  formatNumber,
  formatTime,
} from '../../../../src/portal/page/i18n/format.ts'
import { LOCALES, type Locale } from '../../../../src/settings/sections/locales.ts'

test('a time includes its zone, in each language', () => {
  const times = LOCALES.map((locale) => formatTime(1_800_000_000, locale, 'UTC').text)
  assert.equal(formatTime(1_800_000_000, 'de', 'Europe/Zurich').iso, '2027-01-15T08:00:00Z')
  assert.equal(times[0], '15 January 2027 at 08:00:00 UTC')
  for (const time of times) assert.match(time, /2027.* 0?8:00:00 (ص )?UTC$/)
  assert.match(
    times.join('\n'),
    /janvier[\s\S]*Januar[\s\S]*gennaio[\s\S]*enero[\s\S]*janeiro[\s\S]*januari[\s\S]*stycznia[\s\S]*يناير/,
  )
  const [winter, summer] = [1_800_000_000, 1_784_000_000]
  const inZone = LOCALES.map((locale) => formatTime(winter, locale, 'Europe/Zurich').text.replace(/^.* /, ''))
  assert.deepEqual(inZone, ['CET', 'UTC+1', 'MEZ', 'CET', 'CET', 'GMT+1', 'CET', 'CET', 'غرينتش+1'])
  assert.equal(formatTime(winter, 'en', 'Europe/Zurich').text, '15 January 2027 at 09:00:00 CET')
  assert.equal(formatTime(summer, 'en', 'Europe/Zurich').text, '14 July 2026 at 05:33:20 CEST')
  assert.equal(formatTime(winter, 'en', 'America/New_York').text, '15 January 2027 at 03:00:00 GMT-5')
})

test('a duration has its two largest units, the first one from two on', () => {
  const cases: readonly [minutes: number, expected: string][] = [
    // Never zero minutes.
    [0, '1 minute'],
    [1, '1 minute'],
    [119, '119 minutes'],
    [120, '2 hours'],
    [150, '2 hours and 30 minutes'],
    [25 * 60 + 1, '25 hours and 1 minute'],
    [2 * 24 * 60, '2 days'],
    [49 * 60 + 1, '2 days and 1 hour'],
  ]
  for (const [minutes, expected] of cases) assert.equal(formatDuration(minutes, 'en'), expected)
  assert.deepEqual(
    LOCALES.map((locale) =>
      [60, 150, 2880].map((minutes) => formatDuration(minutes, locale).replaceAll('\u00a0', ' ')).join('; '),
    ),
    [
      '60 minutes; 2 hours and 30 minutes; 2 days',
      '60 minutes; 2 heures et 30 minutes; 2 jours',
      '60 Minuten; 2 Stunden und 30 Minuten; 2 Tage',
      '60 minuti; 2 ore e 30 minuti; 2 giorni',
      '60 minutos; 2 horas y 30 minutos; 2 días',
      '60 minutos; 2 horas e 30 minutos; 2 dias',
      '60 minuten; 2 uur en 30 minuten; 2 dagen',
      '60 minut; 2 godziny i 30 minut; 2 dni',
      '60 دقيقة; ساعتان و30 دقيقة; يومان',
    ],
  )
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
  const all = { zero: 'zero', one: 'one', two: 'two', few: 'few', many: 'many', other: 'other' }
  const selected = (locale: Locale) => [0, 1, 2, 5, 11, 100].map((count) => formatCount(count, locale, all))
  assert.deepEqual(selected('pl'), ['many', 'one', 'few', 'many', 'many', 'many'])
  assert.deepEqual(selected('ar'), ['zero', 'one', 'two', 'few', 'many', 'other'])
})

test('days and months are in each language, and the first of a French or Portuguese month is an ordinal', () => {
  const day = Date.UTC(2027, 2, 1, 23, 59, 59)
  const texts = (locale: Locale) => [formatDate(day, locale), formatMonth('2026-11', locale)]
  assert.deepEqual(texts('en'), ['1 March 2027', 'November 2026'])
  assert.deepEqual(texts('fr'), ['1er mars 2027', 'novembre 2026'])
  assert.deepEqual(texts('de'), ['1. März 2027', 'November 2026'])
  assert.deepEqual(texts('it'), ['1 marzo 2027', 'novembre 2026'])
  assert.equal(formatDate(Date.UTC(2027, 2, 11), 'fr'), '11 mars 2027')
  assert.equal(formatDate(day, 'pt'), '1º de março de 2027')
  assert.equal(formatDate(day, 'ar'), '1 مارس 2027')
})

test('numbers of days have plural forms and digit groups', () => {
  assert.equal(formatDays(1, 'en'), '1 day')
  assert.equal(formatDays(3652, 'de'), '3.652 Tage')
  assert.equal(formatNumber(3652, 'en'), '3,652')
})
