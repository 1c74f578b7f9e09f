// The parts of the report's page.
import type { Report } from '../../../contract/report.ts'
import { type Html, type HtmlValue, html } from '../../../html/html.ts'
import { areWeeks, columnsOf, dayChart, PARTS, stoppedIn } from './day-chart.ts'
import type { Formats } from './formats.ts'
import type { Texts } from './i18n/en.ts'
import { nameOf, type Row, rankedRows, table } from './tables.ts'
import { peakOf, weekChart } from './week-chart.ts'

export interface Visit {
  readonly report: Report
  readonly t: Texts
  readonly formats: Formats
}

/** A heading, what its numbers mean, and the content or that there is none. */
export function section(
  { t }: Visit,
  { heading, meaning }: { readonly heading: string; readonly meaning: string },
  content: Html | undefined,
  level: 'h2' | 'h3' = 'h2',
): Html {
  const title = level === 'h2' ? html`<h2>${heading}</h2>` : html`<h3>${heading}</h3>`
  return html`<section>${title}${meaning !== '' && html`<p class="quiet">${meaning}</p>`}${content ?? html`<p>${t.none}</p>`}</section>`
}

export function figures({ report, t, formats }: Visit): Html {
  const { requests, acknowledgements, permissions, lesson_codes: lessonCodes } = report
  const stopped = stoppedIn(requests)
  const texts = t.figures
  const shown: readonly (readonly [string, number, string?])[] = [
    [texts.stopped, stopped, texts.stoppedShare(formats.share(stopped, stopped + requests.allow))],
    [texts.allowed, requests.allow, texts.allowedNote],
    [texts.acknowledged, acknowledgements.accepted, texts.acknowledgedNote],
    [texts.rejected, acknowledgements.rejected],
    [texts.lockedOut, acknowledgements.locked_out, texts.lockedOutNote],
    [texts.permissions, permissions.granted, texts.permissionsNote],
    [texts.lessonCodes, lessonCodes],
  ]
  const entries = shown.map(
    ([label, value, note]) =>
      html`<div><dt>${label}</dt><dd>${formats.number(value)}${note !== undefined && html`<small>${note}</small>`}</dd></div>`,
  )
  return html`<section><h2 class="unseen">${texts.heading}</h2><dl>${entries}</dl></section>`
}

export function byDay(visit: Visit): Html {
  const { report, t, formats } = visit
  const columns = columnsOf(report.days)
  const isWeekly = areWeeks(report.days)
  const heading = isWeekly ? t.days.headingWeeks : t.days.heading
  const meaning = isWeekly ? `${t.days.meaning} ${t.days.meaningWeeks}` : t.days.meaning
  const most = columns.reduce((most, one) => (stoppedIn(one) > stoppedIn(most) ? one : most))
  if (stoppedIn(most) === 0) return section(visit, { heading, meaning }, undefined)
  const summary = (isWeekly ? t.days.summaryWeeks : t.days.summary)(
    formats.day(most.date),
    formats.number(stoppedIn(most)),
  )
  const legend = PARTS.map(
    (part) =>
      html`<li><svg aria-hidden="true" width="14" height="14"><rect class="${part}" width="14" height="14"/></svg> ${t.verdicts[part]}</li>`,
  )
  const rows = columns.map(({ date, hours, ...day }): Row => {
    const isChanged = !isWeekly && (hours === 25 || hours === 23) && isWhole(report, date)
    const values = [stoppedIn(day), day.block, day.warn, day.aup, day.allow].map(formats.number)
    return {
      name: formats.day(date),
      ...(isChanged && { detail: t.days.changedClocks(formats.hours(hours)) }),
      values,
    }
  })
  const { verdicts } = t
  const heads = [isWeekly ? t.columns.week : t.columns.day, t.columns.stopped, ...PARTS.map((part) => verdicts[part])]
  const chart = html`<figure>${dayChart(columns, summary, formats)}<figcaption><ul class="legend">${legend}</ul></figcaption></figure>`
  return section(
    visit,
    { heading, meaning },
    html`${chart}${folded(visit, heading, table(heading, [...heads, verdicts.allow], rows))}`,
  )
}

/** Of the first and the last day only a part may be in the period. */
function isWhole({ days }: Report, date: string): boolean {
  return date !== days[0]?.date && date !== days.at(-1)?.date
}

export function byHour(visit: Visit): Html {
  const { report, t, formats } = visit
  const peak = peakOf(report.week)
  if (report.busiest === null) return section(visit, t.week, undefined)
  const summary = t.week.summary(formats.weekday(peak.weekday), formats.hour(peak.hour), formats.number(peak.requests))
  const busiest = t.week.busiest(formats.time(report.busiest.hour), formats.number(report.busiest.stopped))
  const rows = Array.from({ length: 24 }, (_, hour) => ({
    name: formats.hour(hour),
    values: report.week.map((hours) => formats.number(hours[hour] ?? 0)),
  }))
  const heads = [t.columns.hour, ...report.week.map((_, weekday) => formats.shortWeekday(weekday))]
  return section(
    visit,
    t.week,
    html`<figure>${weekChart(report.week, summary, formats)}<figcaption>${busiest}</figcaption></figure>${folded(visit, t.week.heading, table(t.week.heading, heads, rows))}`,
  )
}

/** Its data, behind a chart. */
function folded({ t }: Visit, heading: string, data: Html): Html {
  return html`<details><summary>${t.showTable}<span class="unseen">: ${heading}</span></summary><div class="wide-table" role="region" tabindex="0" aria-label="${heading}">${data}</div></details>`
}

export function ranked(
  visit: Visit,
  texts: { readonly heading: string; readonly meaning: string },
  column: string,
  entries: readonly { readonly name: HtmlValue; readonly detail?: HtmlValue; readonly requests: number }[],
  others?: { readonly entries: number; readonly requests: number },
  level: 'h2' | 'h3' = 'h2',
): Html {
  const { report, t } = visit
  const rows = rankedRows(visit, entries, stoppedIn(report.requests), others)
  const heads = [column, t.columns.requests, t.columns.share]
  return section(visit, texts, rows.length === 0 ? undefined : table(texts.heading, heads, rows), level)
}

export function bySource(visit: Visit): Html {
  const { report, t } = visit
  const named = (entries: Report['lists']['top']) => entries.map((one) => ({ ...one, name: nameOf(one.name, t) }))
  const withRule = (rule: string, other: string | null) =>
    html`<bdi translate="no">${rule}</bdi>${other !== null && html` · <bdi translate="no">${other}</bdi>`}`
  const rules = report.rules.top.map(({ name, category, requests }) => {
    return { name: nameOf(name, t), ...(category !== null && { detail: nameOf(category, t) }), requests }
  })
  const hosts = report.hosts.map(({ host, rule, list, requests }) => {
    return { name: nameOf(host, t), detail: withRule(rule, list), requests }
  })
  return html`<div class="pair">${[
    ranked(visit, t.categories, t.columns.category, named(report.categories.top), report.categories.others),
    ranked(visit, t.rules, t.columns.rule, rules, report.rules.others),
    ranked(visit, t.lists, t.columns.list, named(report.lists.top), report.lists.others),
    ranked(visit, t.hosts, t.columns.host, hosts),
  ]}</div>`
}
