// The parts that verdict pages share: sign, destination, reason, details, acknowledgement link, ways out.

import { ACKNOWLEDGEMENT_PATH } from '../../contract/acknowledgement.ts'
import { PROTOCOL_VERSION } from '../../contract/verdict.ts'
import { type Html, html } from '../../html/html.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { backButton, backStatus } from '../page/back.ts'
import { destinationBox, scrollingRegion } from '../page/destination-box.ts'
import { detailRow } from '../page/detail-row.ts'
import { supportContact, type Visit } from '../page/frame.ts'
import type { Messages } from '../page/i18n/en.ts'
import { type Sign, signImage } from '../page/sign.ts'
import { reportLabel, type VerdictView } from './view.ts'

export type VerdictPageName = 'blocked' | 'warned' | 'aup'

/** Sign, heading, destination and reason: what happened, where, why. */
export function verdictSummary(
  visit: Visit,
  { variant, text }: VerdictView,
  sign: Sign,
  words: { heading: string; noReason: string },
): Html {
  const { scheme, shownHost, rest, readableHost } = text
  const address = { scheme, host: shownHost, rest, readableHost: variant.hasReadableHost ? readableHost : undefined }
  return html`${visit.site.verdictFace ? html`<p class="face" aria-hidden="true">:(</p>` : signImage(sign)}<h1>${words.heading}</h1>${destinationBox(address, { isShortened: variant.isShortened, longLabel: variant.isLongAddress && visit.t.details.requestedAddress })}${variant.isShortened && html`<p class="quiet">${visit.t.details.shortened}</p>`}<p class="reason"${variant.isLongReason && scrollingRegion(words.heading)}>${variant.hasReason ? html`<bdi${variant.reasonLocale && html` lang="${variant.reasonLocale}"`}>${text.reason}</bdi>` : words.noReason}</p>`
}

/** Details for the help desk, with a copy button. The portal's version and the time to the second are only in the copied text. */
export function details({ t, site }: Visit, { variant, text }: VerdictView): Html {
  const { labelled, requestedAddress, version, copied, selected } = t.details
  const contact = supportContact(site)
  const rows = [
    detailRow(t.details.reference, html`<bdi dir="ltr" id="ref" translate="no">${text.reference}</bdi>`),
    detailRow(t.details.rule, html`<bdi translate="no">${text.rule}</bdi>`),
    variant.hasCategory && detailRow(t.details.category, html`<bdi>${text.category}</bdi>`),
    detailRow(t.details.time, html`<time datetime="${text.timestamp}">${text.time}</time>`),
    contact !== undefined && detailRow(t.details.support, contact),
  ]
  return html`<h2>${t.details.heading}</h2><dl>${rows}</dl><button id="copy" hidden data-texts="${[requestedAddress, labelled('', ''), labelled(version, site.versionLabel), copied, selected].join('|')}">${t.details.copy}</button> <span id="copied" role="status"></span><pre id="copy-text" hidden translate="no"></pre>`
}

/** How long access lasts; preceded by a space. */
export function sessionLength({ t }: Visit, { variant, text }: VerdictView): Html | false {
  return variant.hasSession && html` ${t.acknowledge.session(html`${text.session}`)}`
}

/** Next to the control to accept a policy: where it leads, and how long access lasts. */
export function whereItLeads(visit: Visit, view: VerdictView): Html {
  const host = html`<bdi translate="no">${view.text.host}</bdi>`
  return html`${visit.t.acknowledge.destination(host)}${sessionLength(visit, view)}`
}

/** A link, because CSP's `form-action` would block a form on the engine's redirect. */
export function acknowledgeLink(view: VerdictView, kind: 'primary' | 'button', label: string): Html {
  return html`<a class="${kind}" rel="nofollow" href="${ACKNOWLEDGEMENT_PATH}?${parameters(view)}">${label}</a>`
}

/** Of a page with that link: where its script says that it ignored a click. */
export function proceedStatus({ clickTooSoon }: Messages): Html {
  return html`<p class="alert" id="status" role="status" data-text="${clickTooSoon}"></p>`
}

/** Without a way to proceed: whom to ask, a way back, and a button to report a mistake or to ask for access. */
export function wayOut({ t, site }: Visit, { variant, text }: VerdictView, words: Html): Html {
  const { supportLink: link } = site
  const label = reportLabel(t, variant.kind)
  return html`${variant.hasOpening && html`<p>${text.opening}</p>`}<p class="quiet">${words}</p>
<div class="choice">${backButton(t)}${link && html`<a class="button" href="${text.report}">${link.scheme === 'tel' ? html`${t.details.labelled(label, '')}<bdi translate="no">${link.address}</bdi>` : label}</a>`}</div>${backStatus}`
}

/** The address of this verdict in another language. */
export function inLanguage(page: VerdictPageName, view: VerdictView): (locale: Locale) => Html {
  return (locale) => html`/locale?set=${locale}&amp;page=${page}&amp;${parameters(view)}`
}

/** With more languages, links that repeat the payload would make a page too large for the first round trip. */
const MOST_LINKED_LOCALES = 4

/**
 * Whether the script completes the language menu: without script there is none then.
 * @param needsScript whether the page is of little use without script anyway
 */
export function leavesMenuToScript({ site }: Visit, needsScript: boolean): boolean {
  return needsScript || site.locales.length > MOST_LINKED_LOCALES
}

/** The three parameters of every verdict URL. */
function parameters({ text }: VerdictView): Html {
  return html`p=${text.p}&amp;v=${PROTOCOL_VERSION}&amp;ts=${text.ts}`
}
