// The policy page: the text, and a way to accept it by link, by code, or none.
import { type Html, html } from '../html/html.ts'
import { frame, operatorName, type Visit } from './frame.ts'
import { unlock, unlockScripts } from './unlock.ts'
import {
  acknowledgeLink,
  details,
  inLanguage,
  terminalAlert,
  type VerdictProps,
  whatHappened,
} from './verdict-parts.ts'

export interface PolicyProps extends VerdictProps {
  /** The text that is accepted, in the language it is shown in. */
  readonly policy: Html
}

export function aupPage(visit: Visit, props: PolicyProps): Html {
  const { t, site } = visit
  const { ackToken, override } = props.verdict
  return frame(visit, {
    title: t.aup.title,
    inLanguage: inLanguage('aup', props.query),
    scripts: override && unlockScripts(site, override),
    body: html`${whatHappened(visit, props, 'aup', t.aup)}
<h2>${t.aup.policyHeading}</h2>
${props.policy}
${
  ackToken === undefined
    ? terminalAlert(t.aup.terminal(operatorName(visit)))
    : override === undefined
      ? html`<p>${t.aup.byContinuing}</p>${acknowledgeLink(props, t.aup.accept)}`
      : html`<p>${t.aup.byUnlocking}</p>${unlock(visit, props, override)}`
}
${details(visit, props)}`,
  })
}
