// The code field of a rule with an override code: digit boxes for a PIN, a masked field for a passphrase.
// It is not a form: only the Unlock button's script submits it.
import { type Html, html } from '../html/html.ts'
import type { Site, Visit } from './frame.ts'
import { heldNotice } from './verdict-parts.ts'
import type { CodeField, VerdictView } from './verdict-view.ts'

export function unlock({ t }: Visit, { variant, text }: VerdictView, code: CodeField): Html {
  const o = t.override
  const label = code.hasPrompt ? html`<bdi>${text.prompt}</bdi>` : html`${o[code.type]}`
  return html`<section id="unlock"${variant.isShortened && html` data-shortened`} data-words="${words(o).join('|')}">
<p>${o.explanation}</p>
<noscript><p class="alert">${o.needsScript}</p></noscript>
<div id="code" hidden>
${code.type === 'pin' ? digitBoxes(o, label, code.length) : passphraseField(o, label)}
<button class="primary" id="unlock-button">${o.unlock}</button>${heldNotice(t)}
</div>
<p id="unlock-said" role="alert"></p><p id="unlock-clock" role="timer"></p>
<a class="primary" id="go-on" hidden href="${text.href}" rel="noreferrer">${o.goOn}</a>
</section>`
}

/** The script's own texts, in the order in which it splits them; none contains a bar. */
function words(o: Visit['t']['override']): readonly string[] {
  return [o.incomplete, o.lockOver, o.trouble, o.unlocked]
}

/** The scripts of a page with a way on: a link, or this code field. */
export function wayOnScripts({ scripts }: Site, code: CodeField | undefined): readonly Html[] {
  return code === undefined ? [scripts.guard] : [scripts.guard, scripts[code.type], scripts.unlock]
}

/** Longer PINs are split into two rows. */
const MAXIMUM_PER_ROW = 6

function digitBoxes(o: Visit['t']['override'], label: Html, length: number): Html {
  return html`<fieldset><legend>${label}</legend>${Array.from(
    { length },
    (_, index) =>
      html`${length > MAXIMUM_PER_ROW && index === Math.ceil(length / 2) && html`<i></i>`}<input inputmode="numeric"${index === 0 && html` autocomplete="one-time-code"`} aria-label="${o.digit(index + 1, length)}">`,
  )}</fieldset>`
}

function passphraseField(o: Visit['t']['override'], label: Html): Html {
  return html`<label class="label" for="passphrase">${label}</label><fieldset role="none"><input id="passphrase" type="password" autocomplete="off" autocapitalize="none" spellcheck="false"><button id="show" aria-pressed="false">${o.show}</button></fieldset>`
}
