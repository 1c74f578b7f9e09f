// The parts that verdict pages share: shape, destination, reason, details, acknowledgement link, icon.

import { ACKNOWLEDGEMENT_PATH } from '../../contract/acknowledgement.ts'
import { PROTOCOL_VERSION } from '../../contract/verdict.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { destinationBox } from '../page/destination-box.ts'
import { supportContact, type Visit } from '../page/frame.ts'
import { type Html, html } from '../page/html.ts'
import type { Messages } from '../page/i18n/en.ts'
import { UTC } from '../page/i18n/format.ts'
import type { VerdictView } from './view.ts'

export type VerdictPageName = 'blocked' | 'warned' | 'aup'

/** One shape per kind, so that colour is never the only difference; the `bsod` palette shows its face instead. */
const shapes: Readonly<Record<VerdictPageName, Html>> = {
  blocked: html`<svg class="shape stop" viewBox="0 0 48 48" aria-hidden="true"><path d="M15 3h18l12 12v18L33 45H15L3 33V15zm1 21h16"/></svg>`,
  warned: html`<svg class="shape caution" viewBox="0 0 48 48" aria-hidden="true"><path d="M24 5l21 37H3zm0 15v9m0 6v.1"/></svg>`,
  aup: html`<svg class="shape" viewBox="0 0 48 48" aria-hidden="true"><path d="M24 3H5v42h28V12zv9h9M13 23h12m-12 8h12"/></svg>`,
}

/** The shapes for the browser's tab, filled, because lines would be too thin there. */
export const icons: Readonly<Record<VerdictPageName, Html>> = {
  blocked: html`%3Cpath fill='%23c22' d='M15 3h18l12 12v18L33 45H15L3 33V15zm-3 17v8h24v-8z'/%3E`,
  warned: html`%3Cpath fill='%23c60' d='M24 3l23 42H1zm-3 14v14h6V17zm0 18v6h6v-6z'/%3E`,
  aup: html`%3Cpath fill='%2343c' d='M7 2h22l12 12v32H7zm7 18v5h20v-5zm0 11v5h20v-5z'/%3E`,
}

/** Shape, heading, destination and reason: what happened, where, why. */
export function verdictSummary(
  visit: Visit,
  { variant, text }: VerdictView,
  page: VerdictPageName,
  words: { heading: string; noReason: string },
): Html {
  const { readableHost } = text
  return html`${visit.site.verdictFace ? html`<p class="face" aria-hidden="true">:(</p>` : shapes[page]}
<h1>${words.heading}</h1>
${destinationBox({ ...text, readableHost: variant.hasReadableHost ? readableHost : undefined }, variant.isShortened)}
<p class="reason">${variant.hasReason ? html`<bdi${variant.reasonLocale && html` lang="${variant.reasonLocale}"`}>${text.reason}</bdi>` : words.noReason}</p>`
}

/**
 * Details for the help desk, with a copy button. The portal's version is only in the copied text, and so is the time in
 * UTC: the script copies what is hidden, too.
 */
export function details({ t, site }: Visit, { variant, text }: VerdictView): Html {
  const { labelled, requestedAddress, version, copied, selected } = t.details
  const contact = supportContact(site)
  return html`<h2>${t.details.heading}</h2>
<dl>
<dt>${t.details.reference}</dt><dd><bdi dir="ltr" id="reference" translate="no">${text.reference}</bdi></dd>
<dt>${t.details.rule}</dt><dd><bdi translate="no">${text.rule}</bdi></dd>
${variant.hasCategory && html`<dt>${t.details.category}</dt><dd><bdi>${text.category}</bdi></dd>`}
<dt>${t.details.time}</dt><dd><time datetime="${text.timestamp}">${text.time}</time>${site.timeZone !== UTC && html`<span hidden> (${text.utc})</span>`}</dd>
${contact && html`<dt>${t.details.support}</dt><dd>${contact}</dd>`}
</dl>
${variant.isShortened && html`<p>${t.details.shortened}</p>`}
<button id="copy" hidden data-texts="${[requestedAddress, labelled('', ''), labelled(version, site.versionLabel), copied, selected].join('|')}">${t.details.copy}</button> <span id="copied" role="status"></span><pre id="copy-text" hidden translate="no"></pre>`
}

/** Next to the control to proceed: where it leads, and how long access lasts. */
export function sessionNotice({ t }: Visit, { variant, text }: VerdictView): Html {
  const { destination, session } = t.acknowledge
  return html`<p class="to">${destination(html`<bdi translate="no">${text.host}</bdi>`)}${variant.hasSession && html` ${session(html`${text.session}`)}`}</p>`
}

/** A link, because CSP's `form-action` would block a form on the engine's redirect. */
export function acknowledgeLink({ t }: Visit, view: VerdictView, kind: 'primary' | 'button', label: string): Html {
  return html`<a class="${kind}" rel="nofollow noreferrer" href="${ACKNOWLEDGEMENT_PATH}?${parameters(view)}">${label}</a>${proceedStatus(t)}`
}

/** Must follow the control to proceed: the scripts report here that they ignored a click, or wait for the response. */
export function proceedStatus({ clickTooSoon }: Messages): Html {
  return html`<p id="status" role="status" data-text="${clickTooSoon}"></p>`
}

/** Whom to ask if there is no way to proceed, with a button to report a mistake. */
export function terminalAlert({ t, site }: Visit, { text }: VerdictView, words: Html): Html {
  const { supportLink: link, supportText } = site
  const label =
    link?.scheme === 'tel'
      ? html`${t.details.labelled(t.report, '')}<bdi translate="no">${link.address}</bdi>`
      : html`${t.report}`
  return html`<p class="alert">${words}${supportText !== undefined && html`<br><bdi translate="no">${supportText}</bdi>`}${link && html`<br><a class="button" href="${text.report}" rel="noreferrer">${label}</a>`}</p>`
}

/** The address of this verdict in another language. */
export function inLanguage(page: VerdictPageName, view: VerdictView): (locale: Locale) => Html {
  return (locale) => html`/locale?set=${locale}&amp;page=${page}&amp;${parameters(view)}`
}

/** The three parameters of every verdict URL. */
function parameters({ text }: VerdictView): Html {
  return html`p=${text.p}&amp;v=${PROTOCOL_VERSION}&amp;ts=${text.ts}`
}
