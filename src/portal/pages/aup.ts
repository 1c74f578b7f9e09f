// The policy page: the text, and a way to accept it by link, by code, or none.
import { type Html, html } from '../html/html.ts'
import { frame, operatorName, type Visit } from './frame.ts'
import { unlock, wayOnScripts } from './unlock.ts'
import { acknowledgeLink, details, inLanguage, terminalAlert, whatHappened } from './verdict-parts.ts'
import type { VerdictView } from './verdict-view.ts'

export interface PolicyView extends VerdictView {
  /** The text that is accepted, with its heading. */
  readonly policy: Html
  /** Of a long text, the way on stays at the window's lower edge while it is read. */
  readonly isLong?: boolean
}

export function aupPage(visit: Visit, view: PolicyView): Html {
  const { t, site } = visit
  const { policy, isLong = false } = view
  const { isAcknowledgeable, code } = view.variant
  return frame(visit, {
    title: t.aup.title,
    inLanguage: inLanguage('aup', view),
    scripts: isAcknowledgeable ? wayOnScripts(site, code) : undefined,
    body: html`${whatHappened(visit, view, 'aup', t.aup)}
${isLong ? longPolicy(visit, view) : policy}
${
  !isAcknowledgeable
    ? terminalAlert(t.aup.terminal(operatorName(visit)))
    : code === undefined
      ? !isLong && continueLink(visit, view)
      : html`<p${isLong && html` id="accept"`}>${t.aup.byUnlocking}</p>${unlock(visit, view, code)}`
}
${details(visit, view)}`,
  })
}

/** With what stays in reach while it is read: the way on or, because a code field is too large for that, the way to it. */
function longPolicy(visit: Visit, view: PolicyView): Html {
  const { isAcknowledgeable, code } = view.variant
  const inReach = code ? html`<p><a href="#accept">${visit.t.aup.toCode}</a></p>` : continueLink(visit, view)
  return html`<div class="policy">
${view.policy}
${isAcknowledgeable && html`<div class="way-on${code && ' to-code'}">${inReach}</div>`}
</div>`
}

function continueLink(visit: Visit, view: PolicyView): Html {
  const { aup } = visit.t
  return html`<p>${aup.byContinuing}</p>${acknowledgeLink(visit, view, aup.accept)}`
}
