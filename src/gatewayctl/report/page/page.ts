// The report as one page without scripts that loads nothing: it can be mailed, kept and printed.
import type { Report } from '../../../contract/report.ts'
import { type Html, html } from '../../../html/html.ts'
import type { Palette } from '../../../settings/sections/operator.ts'
import { acts, overBlocking, people } from './acts.ts'
import { stoppedIn } from './day-chart.ts'
import { createFormats } from './formats.ts'
import { CATALOGUES, type Language } from './i18n/catalogue.ts'
import { missingIn } from './missing.ts'
import { byDay, byHour, bySource, figures, type Visit } from './sections.ts'
import { styleOf } from './style.ts'

export interface PageOptions {
  readonly language: Language
  readonly palette: Palette
  /** The operator's name; undefined where it is not set. */
  readonly organisation: string | undefined
}

export function reportPage(report: Report, { language, palette, organisation }: PageOptions): Html {
  const t = CATALOGUES[language]
  const { period } = report
  const formats = createFormats(language, period.timezone)
  const visit: Visit = { report, t, formats }
  const style = styleOf(palette)
  const policy = `default-src 'none'; style-src ${style.source}; base-uri 'none'; form-action 'none'`
  const isEmpty = stoppedIn(report.requests) === 0
  const brand =
    organisation === undefined ? html`${t.title}` : html`<bdi>${organisation}</bdi><small>${t.title}</small>`
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${t.title}${organisation !== undefined && html` – ${organisation}`}, ${formats.time(period.since)} – ${formats.time(period.until)}</title>
<style>${style.css}</style>
</head>
<body>${PATTERNS}
<header>${brand}</header>
<main><article>
<h1>${t.heading}</h1>
<p class="quiet">${t.period(formats.time(period.since), formats.time(period.until), period.timezone)} ${t.made(formats.time(report.time))}</p>
${missingIn(report, t, formats).map((text) => html`<p class="alert">${text}</p>`)}${isEmpty && html`<p class="alert">${t.nothing}</p>`}
${figures(visit)}
${
  !isEmpty &&
  html`${byDay(visit)}
${byHour(visit)}
${bySource(visit)}
`
}${acts(visit)}
${overBlocking(visit)}
${people(visit)}
</article></main>
<footer><p>${t.kept(formats.days(report.journal.days), formats.days(report.journal.person_days))}</p></footer>
</body></html>
`
}

/** Fills that differ also without colours. */
const PATTERNS = html`<svg class="unseen" aria-hidden="true" width="0" height="0"><defs>
<pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/><line class="hatch" y2="6"/></pattern>
<pattern id="dotted" width="5" height="5" patternUnits="userSpaceOnUse"><rect class="ground" width="5" height="5"/><circle class="dot" cx="2.5" cy="2.5" r="1.1"/></pattern>
</defs></svg>`
