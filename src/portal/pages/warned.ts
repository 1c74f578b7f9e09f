// The warn page, with a link, a code field, or no way on.
import { type Html, html } from '../html/html.ts'
import { frame, operatorName, type Visit } from './frame.ts'
import { unlock, wayOnScripts } from './unlock.ts'
import { acknowledgeLink, details, inLanguage, terminalAlert, whatHappened } from './verdict-parts.ts'
import type { VerdictView } from './verdict-view.ts'

export function warnedPage(visit: Visit, view: VerdictView): Html {
  const { t, site } = visit
  const { isAcknowledgeable, code } = view.variant
  return frame(visit, {
    title: t.warn.title,
    inLanguage: inLanguage('warned', view),
    scripts: isAcknowledgeable ? wayOnScripts(site, code) : undefined,
    body: html`${whatHappened(visit, view, 'warned', t.warn)}
${
  !isAcknowledgeable
    ? terminalAlert(t.warn.terminal(operatorName(visit)))
    : code === undefined
      ? html`<p>${t.warn.next}</p>${acknowledgeLink(visit, view, t.warn.proceed)}`
      : unlock(visit, view, code)
}
${details(visit, view)}`,
  })
}
