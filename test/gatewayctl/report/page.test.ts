// The report's page as markup: complete in each language, escaped, and without anything that loads or runs.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Report } from '../../../src/contract/report.ts'
import { CATALOGUES, LANGUAGES } from '../../../src/gatewayctl/report/page/i18n/catalogue.ts'
import { type PageOptions, reportPage } from '../../../src/gatewayctl/report/page/page.ts'
import { HOSTILE_RULE, HOSTILE_TEXTS, HOSTILE_USER } from '../../support/hostile.ts'
import { emptyReport, fullReport, withPeople } from './sample.ts'

/** The most acknowledgements that over-blocking counts. */
const MOST = { en: '100,000', fr: '100 000', de: '100.000', it: '100.000' }
const OPTIONS: PageOptions = { language: 'en', palette: 'indigo', organisation: undefined }
const markupOf = (report: Report, options: Partial<PageOptions> = {}) =>
  reportPage(report, { ...OPTIONS, ...options }).toString()
/** What is read, with white space as spaces. */
const textOf = (markup: string) =>
  markup.replace(/<style>.*?<\/style>|<title>.*?<\/title>|<[^>]*>/gs, ' ').replace(/\s+/g, ' ')

test('hostile names are text, wherever they stand', () => {
  for (const hostile of [...HOSTILE_TEXTS, HOSTILE_RULE, HOSTILE_USER]) {
    const report = withPeople(fullReport({ name: () => hostile }), () => hostile)
    const markup = markupOf(report, { organisation: hostile })
    const plain = markupOf(
      withPeople(fullReport({ name: () => 'x' }), () => 'x'),
      { organisation: 'x' },
    )
    const tags = (text: string) => text.match(/<[^>]*>/g)?.map((tag) => tag.replace(hostile, 'x'))
    assert.deepEqual(tags(markup), tags(plain), hostile)
  }
})

test('nothing runs, nothing is loaded: the policy allows the style alone', () => {
  const markup = markupOf(withPeople(fullReport()))
  assert.doesNotMatch(markup, /<(script|link|img|iframe|object|embed|form|base|a)\b|\sstyle=|\son\w+=|@import|https?:/)
  // Only to the page's own patterns.
  assert.deepEqual(new Set(markup.match(/url\([^)]*\)/g)), new Set(['url(#hatched)', 'url(#dotted)']))
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(markup) ?? []
  const styles = Array.from(markup.matchAll(/<style>(.*?)<\/style>/gs), ([, style = '']) => style)
  assert.equal(styles.length, 1)
  const hash = createHash('sha256').update(`${styles[0]}`).digest('base64')
  const expected = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  assert.equal(policy.replaceAll('&#39;', "'"), expected)
})

describe('each language', () => {
  for (const language of LANGUAGES) {
    test(`${language}: every text, and numbers and dates of its own`, () => {
      const markup = markupOf(withPeople(fullReport()), { language })
      const texts = CATALOGUES[language]
      assert.ok(markup.startsWith(`<!doctype html>\n<html lang="${language}">`))
      for (const heading of [
        texts.heading,
        texts.overBlocking.lists.heading,
        texts.people.heading,
        texts.week.heading,
      ]) {
        assert.ok(textOf(markup).includes(heading), heading)
      }
      assert.match(textOf(markup), { en: / 8,415 /, fr: / 8 415 /, de: / 8\.415 /, it: / 8415 / }[language])
    })
  }

  test('no text is the English one by mistake', () => {
    const leaves = (value: object): [string, unknown][] =>
      Object.entries(value).flatMap(([key, one]) => (typeof one === 'object' ? leaves(one) : [[key, one]]))
    const english = leaves(CATALOGUES.en)
    for (const language of LANGUAGES.filter((one) => one !== 'en')) {
      const same = leaves(CATALOGUES[language]).filter(([, text], at) => text === english[at]?.[1])
      // Words that both languages have.
      const shared = ['Host', 'Permissions', 'Rules', 'Hosts']
      assert.deepEqual(
        same.filter(([, text]) => !shared.includes(String(text))),
        [],
        language,
      )
    }
  })
})

test('without people no person is named, and no section says so', () => {
  const text = textOf(markupOf(fullReport()))
  assert.doesNotMatch(text, /People|Users|Clients/)
  assert.match(textOf(markupOf(withPeople(fullReport()))), /People.*Users.*anna.*~Zm9v.*Clients.*10\.20\.1\.15/)
})

test('an empty journal says so once, and has no empty charts', () => {
  const markup = markupOf(emptyReport())
  assert.match(textOf(markup), /Nothing was stopped in this period\./)
  assert.doesNotMatch(markup, /role="img"/)
  assert.doesNotMatch(textOf(markup), /NaN|Infinity|undefined|null/)
})

test('one day, two months and a year: days, and from nine weeks on weeks', () => {
  const columns = (days: number) => markupOf(fullReport({ days })).match(/<g><title>/g)?.length
  assert.equal(columns(2), 2)
  assert.equal(columns(62), 62)
  assert.equal(columns(365), 53)
  assert.match(textOf(markupOf(fullReport({ days: 365 }))), /By week/)
})

test('many rules, and what the table leaves out', () => {
  const text = textOf(markupOf(fullReport({ rules: 500 })))
  assert.match(text, /rule 499/)
  assert.match(text, /480 others 312/)
})

test('a day with 25 hours says why it may have more', () => {
  const report = fullReport()
  const days = report.days.map((day, at) => (at === 2 ? { ...day, hours: 25 } : day))
  assert.match(textOf(markupOf({ ...report, days })), /3 November 2026 The clocks changed: this day has 25 hours\./)
})

test('in each language: a pseudonym is not said to be beyond finding out', () => {
  const said = {
    en: 'a pseudonym: whom it stands for is not shown here.',
    fr: 'un pseudonyme : la personne qu’il désigne n’est pas indiquée ici.',
    de: 'ein Pseudonym: Für wen es steht, wird hier nicht gezeigt.',
    it: 'uno pseudonimo: la persona che indica non è riportata qui.',
  }
  for (const language of LANGUAGES) {
    const text = textOf(markupOf(withPeople(fullReport()), { language }))
    assert.ok(text.includes(said[language]), language)
  }
})

test('in each language: that over-blocking is cut, and what is not known without hosts', () => {
  const report = fullReport()
  const { over_blocking: overBlocking } = report
  const [first] = overBlocking.causes
  const unknown = { rule: null, category: null, list: null, stopped: null, permissions: 12, acknowledgements: 0 }
  const hostless = {
    ...report,
    permissions: { granted: 12, hosts: [{ host: 'museum.example', granted: 12, stopped: null }] },
    over_blocking: { causes: first === undefined ? [unknown] : [first, unknown], lists: [], cut: true },
  }
  for (const language of LANGUAGES) {
    const { causes } = CATALOGUES[language].overBlocking
    const cut = causes.cut(MOST[language], '500')
    const text = textOf(markupOf(hostless, { language }))
    assert.ok(text.includes(` ${causes.meaning} ${cut} `.replace(/\s+/g, ' ')), language)
    assert.ok(text.includes(` ${causes.withoutHosts} 12 0 – `), language)
    assert.ok(!text.includes(causes.unknown), language)
    assert.match(text, / museum\.example 12 – /)
    const whole = textOf(markupOf(report, { language }))
    assert.ok(!whole.includes(cut), language)
    assert.ok(whole.includes(` ${causes.unknown} 1 0 0 `), language)
  }
})

test('what the journal no longer has, or never had', () => {
  const report = fullReport()
  const short = { ...report, journal: { days: 14, person_days: 3, hosts: false } }
  assert.match(textOf(markupOf(short)), /The journal keeps 14 days\..*keeps no hosts/)
  assert.doesNotMatch(textOf(markupOf(report)), /missing/)
})

test('the operator’s name and the colours of the pages', () => {
  const markup = markupOf(fullReport(), { organisation: 'Kantonsschule Ö', palette: 'amber' })
  assert.match(markup, /<header><bdi>Kantonsschule Ö<\/bdi><small>Gateway report<\/small><\/header>/)
  assert.match(markup, /--plate:#ffb938/)
})
