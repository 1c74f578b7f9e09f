// The parts that verdict pages share: shape, destination, reason, details, the way on.

import type { Locale } from '../../config/locales.ts'
import { PROTOCOL_VERSION } from '../../contract/verdict.ts'
import { type Html, html } from '../html/html.ts'
import type { Messages } from '../i18n/en.ts'
import type { Visit } from './frame.ts'
import type { VerdictView } from './verdict-view.ts'

export type VerdictPageName = 'blocked' | 'warned' | 'aup'

/** One shape per kind, so that colour is never the only difference; the `bsod` palette shows its face instead. */
const shapes: Readonly<Record<VerdictPageName, Html>> = {
  blocked: html`<svg class="shape stop" viewBox="0 0 48 48" aria-hidden="true"><path d="M15 3h18l12 12v18L33 45H15L3 33V15zm1 21h16"/></svg>`,
  warned: html`<svg class="shape caution" viewBox="0 0 48 48" aria-hidden="true"><path d="M24 5l21 37H3zm0 15v9m0 6v.1"/></svg>`,
  aup: html`<svg class="shape" viewBox="0 0 48 48" aria-hidden="true"><path d="M24 3H5v42h28V12zv9h9M13 23h12m-12 8h12"/></svg>`,
}

/** Shape, heading, destination and reason: what happened, where, why. */
export function whatHappened(
  visit: Visit,
  { variant, text }: VerdictView,
  page: VerdictPageName,
  words: { heading: string; noReason: string },
): Html {
  return html`${visit.site.verdictFace ? html`<p class="face" aria-hidden="true">:(</p>` : shapes[page]}
<h1>${words.heading}</h1>
<p class="site"><bdi dir="ltr">${text.scheme}<strong>${text.host}</strong>${text.rest}${variant.isShortened && '…'}</bdi></p>
<p>${variant.hasReason ? html`<bdi>${text.reason}</bdi>` : words.noReason}</p>`
}

/** Details for the help desk, with a copy button. */
export function details({ t, site }: Visit, { variant, text }: VerdictView): Html {
  const { labelled, site: address, copied, selected } = t.details
  return html`<h2>${t.details.heading}</h2>
<dl>
<dt>${t.details.rule}</dt><dd><bdi>${text.rule}</bdi></dd>
${variant.hasCategory && html`<dt>${t.details.category}</dt><dd><bdi>${text.category}</bdi></dd>`}
<dt>${t.details.reference}</dt><dd><bdi dir="ltr">${text.reference}</bdi></dd>
<dt>${t.details.time}</dt><dd><time datetime="${text.timestamp}">${text.time}</time></dd>
<dt>${t.details.version}</dt><dd>${site.versionLabel}</dd>
</dl>
${variant.isShortened && html`<p>${t.details.shortened}</p>`}
<button id="copy" hidden data-words="${[address, labelled('', ''), copied, selected].join('|')}">${t.details.copy}</button> <span id="copied" role="status"></span><pre id="copy-text" hidden></pre>`
}

/** The one primary action: a link, because CSP's `form-action` would block a form on the engine's redirect. */
export function acknowledgeLink({ t }: Visit, view: VerdictView, label: string): Html {
  return html`<p><a class="primary" rel="nofollow noreferrer" href="/api/captive/ack?${parameters(view)}">${label}</a></p>${heldNotice(t)}`
}

/** Must follow the guarded element: the guard's script reports here that it ignored a click. */
export function heldNotice({ clickHeld }: Messages): Html {
  return html`<p id="held" role="status" data-text="${clickHeld}"></p>`
}

export function terminalAlert(text: Html): Html {
  return html`<p class="alert">${text}</p>`
}

/** The address of this verdict in another language. */
export function inLanguage(page: VerdictPageName, view: VerdictView): (locale: Locale) => Html {
  return (locale) => html`/locale?set=${locale}&amp;page=${page}&amp;${parameters(view)}`
}

/** The three parameters of every verdict URL. */
function parameters({ text }: VerdictView): Html {
  return html`p=${text.p}&amp;v=${PROTOCOL_VERSION}&amp;ts=${text.ts}`
}
