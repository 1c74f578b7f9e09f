// The policy page: the text, and a way to accept it by link, by code, or none.
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

export interface PolicyProps extends VerdictProps {
  /** The text that is accepted, with its heading. */
  readonly policy: Html
  /** Of a long text, the way on stays at the window's lower edge while it is read. */
  readonly isLong?: boolean
}

export function aupPage(visit: Visit, props: PolicyProps): Html {
  const { t, site } = visit
  const { policy, isLong = false, verdict } = props
  const { ackToken, override } = verdict
  return frame(visit, {
    title: t.aup.title,
    inLanguage: inLanguage('aup', props.query),
    scripts: ackToken === undefined ? undefined : wayOnScripts(site, override),
    body: html`${whatHappened(visit, props, 'aup', t.aup)}
${isLong ? longPolicy(visit, props) : policy}
${
  ackToken === undefined
    ? terminalAlert(t.aup.terminal(operatorName(visit)))
    : override === undefined
      ? !isLong && continueLink(visit, props)
      : html`<p${isLong && html` id="accept"`}>${t.aup.byUnlocking}</p>${unlock(visit, props, override)}`
}
${details(visit, props)}`,
  })
}

/** With what stays in reach while it is read: the way on or, because a code field is too large for that, the way to it. */
function longPolicy(visit: Visit, props: PolicyProps): Html {
  const { ackToken, override } = props.verdict
  const inReach = override ? html`<p><a href="#accept">${visit.t.aup.toCode}</a></p>` : continueLink(visit, props)
  return html`<div class="policy">
${props.policy}
${ackToken !== undefined && html`<div class="way-on${override && ' to-code'}">${inReach}</div>`}
</div>`
}

function continueLink(visit: Visit, props: PolicyProps): Html {
  const { aup } = visit.t
  return html`<p>${aup.byContinuing}</p>${acknowledgeLink(visit, props, aup.accept)}`
}
