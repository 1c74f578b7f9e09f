// The pieces that verdict pages share: shape, destination, reason, details, the way on.

import type { Locale } from '../../config/locales.ts'
import type { VerdictQuery } from '../../contract/query.ts'
import type { Verdict } from '../../contract/verdict.ts'
import { type Html, html } from '../html/html.ts'
import type { Time } from '../i18n/format.ts'
import type { Visit } from './frame.ts'

/** A verdict, and the parameters that its page and its acknowledgement are addressed with. */
export interface VerdictProps {
  readonly verdict: Verdict
  readonly query: VerdictQuery
  /** When the verdict was issued, for machines and in the page's language. */
  readonly time: Time
}

export type VerdictPageName = 'blocked' | 'warned' | 'aup'

/** One shape a kind, so that colour is never alone; the palette with a face shows that instead. */
const shapes: Readonly<Record<VerdictPageName, Html>> = {
  blocked: html`<svg class="shape stop" viewBox="0 0 48 48" aria-hidden="true"><path d="M15 3h18l12 12v18L33 45H15L3 33V15z" fill="none" stroke="currentColor" stroke-width="4" stroke-linejoin="round"/><path d="M14 24h20" stroke="currentColor" stroke-width="5" stroke-linecap="round"/></svg>`,
  warned: html`<svg class="shape caution" viewBox="0 0 48 48" aria-hidden="true"><path d="M24 5 45 42H3z" fill="none" stroke="currentColor" stroke-width="4" stroke-linejoin="round"/><path d="M24 19v10" stroke="currentColor" stroke-width="5" stroke-linecap="round"/><circle cx="24" cy="35.5" r="2.7" fill="currentColor"/></svg>`,
  aup: html`<svg class="shape" viewBox="0 0 48 48" aria-hidden="true"><path d="M10 3h19l10 10v32H10z" fill="none" stroke="currentColor" stroke-width="4" stroke-linejoin="round"/><path d="M18 21h13M18 28h13M18 35h8" stroke="currentColor" stroke-width="4" stroke-linecap="round"/></svg>`,
}

/** Shape, heading, destination and reason: what happened, where, why. */
export function whatHappened(
  visit: Visit,
  { verdict }: VerdictProps,
  page: VerdictPageName,
  words: { heading: string; noReason: string },
): Html {
  const { destination } = verdict
  return html`${visit.site.verdictFace ? html`<p class="face" aria-hidden="true">:(</p>` : shapes[page]}
<h1>${words.heading}</h1>
<p class="site"><bdi dir="ltr">${destination.scheme}<strong>${destination.host}</strong>${destination.rest}${verdict.shortened && '…'}</bdi></p>
<p>${verdict.ruleDescription === '' ? words.noReason : html`<bdi>${verdict.ruleDescription}</bdi>`}</p>`
}

/** What the help desk asks for, with a button that copies it. */
export function details({ t, site }: Visit, { verdict, time }: VerdictProps): Html {
  return html`<h2>${t.details.heading}</h2>
<dl>
<dt>${t.details.rule}</dt><dd><bdi>${verdict.ruleName}</bdi></dd>
${verdict.category !== undefined && html`<dt>${t.details.category}</dt><dd><bdi>${verdict.category}</bdi></dd>`}
<dt>${t.details.reference}</dt><dd><bdi dir="ltr">${verdict.reference}</bdi></dd>
<dt>${t.details.time}</dt><dd><time datetime="${time.iso}">${time.text}</time></dd>
<dt>${t.details.version}</dt><dd>${site.versionLabel}</dd>
</dl>
${verdict.shortened && html`<p>${t.details.shortened}</p>`}
<button type="button" id="copy" hidden data-site="${t.details.site}" data-colon="${t.details.labelled('', '')}" data-copied="${t.details.copied}" data-selected="${t.details.selected}">${t.details.copy}</button> <span id="copied" role="status"></span><pre id="copy-text" hidden></pre>`
}

/** The one primary action: a link, because a form would meet CSP's `form-action` on the engine's redirect. */
export function acknowledgeLink({ query }: VerdictProps, label: string): Html {
  return html`<p><a class="primary" rel="nofollow noreferrer" href="/api/captive/ack?${query.text}">${label}</a></p>`
}

export function terminalAlert(text: Html): Html {
  return html`<p class="alert">${text}</p>`
}

/** The address that shows this verdict in another language. */
export function inLanguage(page: VerdictPageName, query: VerdictQuery): (locale: Locale) => string {
  return (locale) => `/locale?set=${locale}&page=${page}&${query.text}`
}
