// The code field of a rule with an override code: digit boxes for a PIN, a masked field for a passphrase.
// It is no form: nothing but the Unlock button submits it, and that by script.
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

/** What the script says by itself, in the order in which it takes them apart; none holds a bar. */
function words(o: Visit['t']['override']): readonly string[] {
  return [o.incomplete, o.lockOver, o.trouble, o.unlocked]
}

/** The scripts that a page with a way on needs, by link or by this code field. */
export function wayOnScripts({ scripts }: Site, code: CodeField | undefined): readonly Html[] {
  return code === undefined ? [scripts.guard] : [scripts.guard, scripts[code.type], scripts.unlock]
}

/** More digits than these stand in two rows. */
const MOST_IN_ONE_ROW = 6

function digitBoxes(o: Visit['t']['override'], label: Html, length: number): Html {
  return html`<fieldset><legend>${label}</legend>${Array.from(
    { length },
    (_, index) =>
      html`${length > MOST_IN_ONE_ROW && index === Math.ceil(length / 2) && html`<i></i>`}<input class="digit" inputmode="numeric"${index === 0 && html` autocomplete="one-time-code"`} aria-label="${o.digit(index + 1, length)}">`,
  )}</fieldset>`
}

function passphraseField(o: Visit['t']['override'], label: Html): Html {
  return html`<label class="label" for="passphrase">${label}</label><fieldset role="none"><input id="passphrase" type="password" autocomplete="off" autocapitalize="none" spellcheck="false"><button id="show" aria-pressed="false">${o.show}</button></fieldset>`
}
