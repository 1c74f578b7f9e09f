// The warn page, with a link, a code field, or no way to proceed.

import { frame, operatorName, type Visit } from '../page/frame.ts'
import { type Html, html } from '../page/html.ts'
import { acknowledgeLink, details, icons, inLanguage, sessionNotice, terminalAlert, verdictSummary } from './parts.ts'
import { unlock } from './unlock.ts'
import type { VerdictView } from './view.ts'

export function warnedPage(visit: Visit, view: VerdictView): Html {
  const { t, site } = visit
  const { isAcknowledgeable, code } = view.variant
  const { heading, headingCode, headingTerminal, noReason } = t.warn
  return frame(visit, {
    title: t.warn.title,
    icon: icons.warned,
    inLanguage: inLanguage('warned', view),
    support: view.text.support,
    needsScript: code !== undefined,
    scripts: isAcknowledgeable ? [site.scripts[code?.type ?? 'warning']] : undefined,
    body: html`${verdictSummary(visit, view, 'warned', {
      heading: !isAcknowledgeable ? headingTerminal : code ? headingCode : heading,
      noReason,
    })}
${
  !isAcknowledgeable
    ? terminalAlert(visit, view, t.warn.terminal(operatorName(visit)))
    : code === undefined
      ? proceedOrGoBack(visit, view)
      : unlock(visit, view, code)
}
${details(visit, view)}`,
  })
}

/** Without script, and with no page to go back to, there is only the link to proceed. */
function proceedOrGoBack(visit: Visit, view: VerdictView): Html {
  const { t } = visit
  return html`<p>${t.warn.next}</p>${sessionNotice(visit, view)}
<div class="choice"><button class="primary" id="back" hidden data-nothing="${t.warn.nothingToGoBackTo}">${t.warn.goBack}</button>${acknowledgeLink(visit, view, 'button', t.warn.proceed)}</div>`
}
