// The policy page: the text, and a link or code field to accept it, if it can be accepted.
import { type Html, html } from '../html/html.ts'
import { frame, operatorName, type Visit } from './frame.ts'
import { unlock, wayOnScripts } from './unlock.ts'
import { acknowledgeLink, details, inLanguage, terminalAlert, whatHappened } from './verdict-parts.ts'
import type { VerdictView } from './verdict-view.ts'

export interface PolicyView extends VerdictView {
  /** The text that is accepted, with its heading. */
  readonly policy: Html
  /** For a long text, the way on sticks to the bottom of the window. */
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

/** With a sticky footer: the way on, or a link to the code field, which would be too large. */
function longPolicy(visit: Visit, view: PolicyView): Html {
  const { isAcknowledgeable, code } = view.variant
  const footer = code ? html`<p><a href="#accept">${visit.t.aup.toCode}</a></p>` : continueLink(visit, view)
  return html`<div class="policy">
${view.policy}
${isAcknowledgeable && html`<div class="way-on${code && ' to-code'}">${footer}</div>`}
</div>`
}

function continueLink(visit: Visit, view: PolicyView): Html {
  const { aup } = visit.t
  return html`<p>${aup.byContinuing}</p>${acknowledgeLink(visit, view, aup.accept)}`
}
