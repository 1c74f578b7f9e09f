// The warn page, with a link, a code field, or no way to proceed.

import { type Html, html } from '../../html/html.ts'
import { backButton } from '../page/back.ts'
import { frame, operatorName, type Visit } from '../page/frame.ts'
import { SIGNS } from '../page/sign.ts'
import {
  acknowledgeLink,
  details,
  inLanguage,
  leavesMenuToScript,
  proceedStatus,
  sessionLength,
  verdictSummary,
  wayOut,
} from './parts.ts'
import { unlock } from './unlock.ts'
import type { VerdictView } from './view.ts'

export function warnedPage(visit: Visit, view: VerdictView): Html {
  const { t, site } = visit
  const { isAcknowledgeable, code } = view.variant
  const { heading, headingCode, headingTerminal, noReason } = t.warn
  const sign = isAcknowledgeable && code ? SIGNS.code : SIGNS.warn
  return frame(visit, {
    title: t.warn.title,
    sign,
    inLanguage: inLanguage('warned', view),
    support: view.text.support,
    leavesMenuToScript: leavesMenuToScript(visit, isAcknowledgeable && code !== undefined),
    style: site.withoutPinStyle,
    script: isAcknowledgeable ? site.scripts[code?.type ?? 'warning'] : site.scripts.back,
    body: html`${verdictSummary(visit, view, sign, {
      heading: !isAcknowledgeable ? headingTerminal : code ? headingCode : heading,
      noReason,
    })}
${
  !isAcknowledgeable
    ? wayOut(visit, view, t.warn.terminal(operatorName(visit)))
    : code === undefined
      ? proceedOrGoBack(visit, view)
      : unlock(visit, view, code, sessionLength(visit, view))
}
${details(visit, view)}`,
  })
}

/** Without script, and with no page to go back to, there is only the link to proceed. */
function proceedOrGoBack(visit: Visit, view: VerdictView): Html {
  const { t } = visit
  const next = view.variant.hasSession ? t.warn.nextFor(html`${view.text.session}`) : t.warn.next
  return html`<p>${next}</p>
<div class="choice">${backButton(t)}${acknowledgeLink(view, 'button', t.warn.proceed)}</div>${proceedStatus(t)}`
}
