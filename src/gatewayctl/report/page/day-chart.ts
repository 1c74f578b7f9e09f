// Stopped requests by day, or by week where a period is long: columns whose parts differ by pattern, not only by colour.
import type { Report } from '../../../contract/report.ts'
import { type Html, html } from '../../../html/html.ts'
import type { Formats } from './formats.ts'

type Day = Report['days'][number]

export interface Column {
  /** Its day, or its Monday. */
  readonly date: string
  readonly block: number
  readonly warn: number
  readonly aup: number
  readonly allow: number
  /** How many hours a day has in the period. */
  readonly hours: number
}

/** From the bottom up; also the classes of their parts. */
export const PARTS = ['block', 'warn', 'aup'] as const

const MAXIMUM_DAYS = 62
/** In pixels: of the columns, of a line of text above and one below. */
const [HEIGHT, ABOVE, BELOW] = [180, 20, 24]
/** Labels: where there are more, only some are shown; on phones fewer. */
const [MAXIMUM_LABELS, MAXIMUM_LABELS_ON_PHONES] = [12, 5]

export function stoppedIn({ block, warn, aup }: Pick<Column, (typeof PARTS)[number]>): number {
  return block + warn + aup
}

export function areWeeks(days: readonly Day[]): boolean {
  return days.length > MAXIMUM_DAYS
}

export function columnsOf(days: readonly Day[]): readonly Column[] {
  if (!areWeeks(days)) return days
  return [...Map.groupBy(days, ({ date }) => mondayOf(date))].map(([date, some]) => {
    const sum = (key: 'block' | 'warn' | 'aup' | 'allow' | 'hours') => some.reduce((sum, day) => sum + day[key], 0)
    return { date, block: sum('block'), warn: sum('warn'), aup: sum('aup'), allow: sum('allow'), hours: sum('hours') }
  })
}

/** Widths are percentages, so that text keeps its size on a phone. @param summary for those who cannot see it */
export function dayChart(columns: readonly Column[], summary: string, formats: Formats): Html {
  const most = scaleOf(Math.max(1, ...columns.map(stoppedIn)))
  const step = 100 / columns.length
  const lines = most % 2 === 0 ? [most, most / 2] : [most]
  return html`<svg class="days" role="img" aria-label="${summary}" width="100%" height="${HEIGHT + ABOVE + BELOW}">
${lines.map((value) => html`<line class="grid" x2="100%" y1="${yOf(value, most)}" y2="${yOf(value, most)}"/>`)}${columns.map((column, at) => columnMarkup(column, at, step, most, formats))}<line class="base" x2="100%" y1="${HEIGHT + ABOVE}" y2="${HEIGHT + ABOVE}"/>${lines.map((value) => html`<text y="${yOf(value, most) - 4}">${formats.number(value)}</text>`)}${labels(columns, step, formats)}</svg>`
}

function columnMarkup(column: Column, at: number, step: number, most: number, formats: Formats): Html {
  const [x, width] = [rounded(at * step + step * 0.12), rounded(step * 0.76)]
  let below = 0
  const parts = PARTS.map((part) => {
    const from = below
    below += column[part]
    const [y, bottom] = [yOf(below, most), yOf(from, most)]
    return (
      column[part] > 0 &&
      html`<rect class="${part}" x="${x}%" width="${width}%" y="${y}" height="${rounded(bottom - y)}"/>`
    )
  })
  return html`<g><title>${formats.day(column.date)}: ${formats.number(stoppedIn(column))}</title>${parts}</g>`
}

function labels(columns: readonly Column[], step: number, formats: Formats): Html {
  const every = Math.ceil(columns.length / MAXIMUM_LABELS)
  const everyOnPhones = Math.ceil(columns.length / MAXIMUM_LABELS_ON_PHONES / every) * every
  const text = columns.length <= MAXIMUM_LABELS ? formats.weekdayAndDay : formats.shortDay
  return html`${columns.map(
    ({ date }, at) =>
      at % every === 0 &&
      html`<text${at % everyOnPhones !== 0 && html` class="wide"`} text-anchor="middle" x="${rounded((at + 0.5) * step)}%" y="${HEIGHT + ABOVE + 17}">${text(date)}</text>`,
  )}`
}

function yOf(value: number, most: number): number {
  return rounded(ABOVE + HEIGHT * (1 - value / most))
}

/** The next number that is 1, 2 or 5 followed by zeros. */
function scaleOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10) * power
}

function mondayOf(date: string): string {
  const day = Temporal.PlainDate.from(date)
  return day.subtract({ days: day.dayOfWeek - 1 }).toString()
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
