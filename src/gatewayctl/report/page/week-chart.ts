// Stopped requests by weekday and hour of the day, as a field each.
import type { Report } from '../../../contract/report.ts'
import { type Html, html } from '../../../html/html.ts'
import type { Formats } from './formats.ts'

type Week = Report['week']

/** How dark a field is: none, then by fifths of the largest. */
const OPACITIES = ['0', '.14', '.34', '.55', '.77', '1']
const HEIGHT = 22
const HOURS = 24
const LABELLED_HOURS = [0, 6, 12, 18]

export interface Peak {
  readonly weekday: number
  readonly hour: number
  readonly requests: number
}

/** The first of the largest. */
export function peakOf(week: Week): Peak {
  let peak: Peak = { weekday: 0, hour: 0, requests: 0 }
  for (const [weekday, hours] of week.entries()) {
    for (const [hour, requests] of hours.entries()) {
      if (requests > peak.requests) peak = { weekday, hour, requests }
    }
  }
  return peak
}

/** @param summary for those who cannot see it */
export function weekChart(week: Week, summary: string, formats: Formats): Html {
  const peak = peakOf(week)
  const width = 100 / HOURS
  const rows = week.map((hours, weekday) => {
    const fields = hours.map((requests, hour) => {
      const level = Math.ceil((requests / Math.max(1, peak.requests)) * (OPACITIES.length - 1))
      const isPeak = requests > 0 && weekday === peak.weekday && hour === peak.hour
      return html`<rect${isPeak && html` class="peak"`} x="${rounded(hour * width + 0.25)}%" y="1.5" width="${rounded(width - 0.5)}%" height="${HEIGHT - 3}" rx="3" fill-opacity="${OPACITIES[level] ?? '1'}"><title>${formats.weekday(weekday)} ${formats.hour(hour)}: ${formats.number(requests)}</title></rect>`
    })
    return html`<span>${formats.shortWeekday(weekday)}</span><svg width="100%" height="${HEIGHT}">${fields}</svg>`
  })
  const axis = LABELLED_HOURS.map(
    (hour) => html`<text x="${rounded(hour * width + 0.25)}%" y="14">${formats.hour(hour)}</text>`,
  )
  return html`<div class="week" role="img" aria-label="${summary}">${rows}<span></span><svg width="100%" height="18">${axis}</svg></div>`
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
