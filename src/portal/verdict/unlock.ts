// The code field of a rule with an override code: digit boxes for a PIN, a masked field for a passphrase.
// It is not a form: only the Unlock button's script submits it.

import { type Html, html } from '../../html/html.ts'
import type { Visit } from '../page/frame.ts'
import type { CodeField, VerdictView } from './view.ts'

/**
 * @param consequence what the code opens, and for how long
 * @param notice stands before the field, and vanishes with it
 */
export function unlock(
  { t }: Visit,
  { variant, text }: VerdictView,
  code: CodeField,
  consequence: Html | false,
  notice: Html | false = false,
): Html {
  const o = t.override
  const label = code.hasPrompt ? html`<bdi>${text.prompt}</bdi>` : html`${o[code.type]}`
  return html`<noscript><p class="alert">${o.needsScript}</p></noscript><section id="unlock" hidden${variant.isShortened && html` data-shortened`} data-texts="${scriptTexts(o, variant.isShortened).join('|')}"><div id="code">${notice}<p class="quiet">${o.explanation[code.type]}${consequence}</p>${code.type === 'pin' ? digitBoxes(o, label, code.length) : passphraseField(o, label)}</div><p id="message" role="alert" tabindex="-1"></p><button class="primary" id="enter">${o.unlock}</button><a class="primary" id="go-on" hidden data-href="${text.scheme}${text.host}${text.rest}">${o.continueToPage}</a><button class="button" id="back" hidden>${t.goBack}</button></section>`
}

/** The script's texts, in the order in which it splits them; none contains a bar. */
function scriptTexts(o: Visit['t']['override'], isShortened: boolean): readonly string[] {
  return [o.incomplete, o.trouble, isShortened ? o.unlockedShortened : o.unlocked, o.checking]
}

/** The script adds the boxes: a page with twelve is as small as one with four. */
function digitBoxes(o: Visit['t']['override'], label: Html, length: number): Html {
  return html`<fieldset data-length="${length}" data-digit="${o.digit('#', length)}" aria-describedby="message"><legend>${label}</legend></fieldset>`
}

function passphraseField(o: Visit['t']['override'], label: Html): Html {
  return html`<fieldset role="none"><label for="passphrase">${label}</label><input id="passphrase" dir="auto" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" aria-describedby="message"><button id="show" data-other="${o.hide}">${o.show}</button></fieldset>`
}
