// The policy page: the text, and a link or code field to accept it, if it can be accepted.

import { type Html, html } from '../../html/html.ts'
import { frame, operatorName, type Visit } from '../page/frame.ts'
import { SIGNS } from '../page/sign.ts'
import {
  acknowledgeLink,
  details,
  inLanguage,
  leavesMenuToScript,
  proceedStatus,
  verdictSummary,
  wayOut,
  whereItLeads,
} from './parts.ts'
import { unlock } from './unlock.ts'
import type { VerdictView } from './view.ts'

export interface PolicyView extends VerdictView {
  /** The text that is accepted, with its heading. */
  readonly policy: Html
  /** With a long text, the button to accept it is sticky at the bottom of the window. */
  readonly isLong?: boolean
}

export function aupPage(visit: Visit, view: PolicyView): Html {
  const { t, site } = visit
  const { isAcknowledgeable, code } = view.variant
  const { heading, noReason } = t.aup
  return frame(visit, {
    title: t.aup.title,
    sign: SIGNS.policy,
    inLanguage: inLanguage('aup', view),
    support: view.text.support,
    leavesMenuToScript: leavesMenuToScript(visit, isAcknowledgeable && code !== undefined),
    style: code?.type === 'pin' ? undefined : site.withoutPinStyle,
    script: isAcknowledgeable ? site.scripts[code?.type ?? 'proceed'] : site.scripts.back,
    body: html`${verdictSummary(visit, view, SIGNS.policy, { heading: isAcknowledgeable ? heading : t.warn.headingTerminal, noReason })}${isAcknowledgeable ? policyToAccept(visit, view) : html`${wayOut(visit, view, t.aup.terminal(operatorName(visit)))}${view.policy}`}${details(visit, view)}`,
  })
}

/** The button of a long text is sticky; a code field would be too large for that, and has a link to it instead. */
function policyToAccept(visit: Visit, view: PolicyView): Html {
  const { aup } = visit.t
  const { policy, isLong = false } = view
  const { code } = view.variant
  const text = code
    ? policy
    : html`${policy}<p>${aup.byContinuing}</p><p class="quiet">${whereItLeads(visit, view)}</p>`
  const button = code
    ? isLong && html`<a class="button" href="#accept">${aup.toCode}</a>`
    : html`${acknowledgeLink(view, 'primary', aup.accept)}${proceedStatus(visit.t)}`
  const field = code && unlock(visit, view, code, html` ${whereItLeads(visit, view)}`, html`<p>${aup.byUnlocking}</p>`)
  return html`${isLong ? html`<div class="policy"><div>${text}</div><div class="proceed">${button}</div></div>` : html`${text}${button}`}
${isLong ? field && html`<div id="accept">${field}</div>` : field}`
}
