// The warn page: a way on by link, by code, or none.
import { type Html, html } from '../html/html.ts'
import { frame, operatorName, type Visit } from './frame.ts'
import { unlock, wayOnScripts } from './unlock.ts'
import {
  acknowledgeLink,
  details,
  inLanguage,
  terminalAlert,
  type VerdictProps,
  whatHappened,
} from './verdict-parts.ts'

export function warnedPage(visit: Visit, props: VerdictProps): Html {
  const { t, site } = visit
  const { ackToken, override } = props.verdict
  return frame(visit, {
    title: t.warn.title,
    inLanguage: inLanguage('warned', props.query),
    scripts: ackToken === undefined ? undefined : wayOnScripts(site, override),
    body: html`${whatHappened(visit, props, 'warned', t.warn)}
${
  ackToken === undefined
    ? terminalAlert(t.warn.terminal(operatorName(visit)))
    : override === undefined
      ? html`<p>${t.warn.next}</p>${acknowledgeLink(visit, props, t.warn.proceed)}`
      : unlock(visit, props, override)
}
${details(visit, props)}`,
  })
}
