// The code field of a rule with an override code: digit boxes for a PIN, a masked field for a passphrase.
// It is no form: nothing but the Unlock button submits it, and that by script.
import type { OverrideCode } from '../../contract/verdict.ts'
import { type Html, html } from '../html/html.ts'
import type { Visit } from './frame.ts'
import { acknowledgementAddress, type VerdictProps } from './verdict-parts.ts'

export function unlock({ t }: Visit, { verdict, query }: VerdictProps, override: OverrideCode): Html {
  const o = t.override
  const label = override.prompt ? html`<bdi>${override.prompt}</bdi>` : html`${o[override.type]}`
  return html`<section id="unlock" data-type="${override.type}" data-ack="${acknowledgementAddress(query)}" data-destination="${verdict.destination.href}"${verdict.shortened && html` data-shortened`} data-incomplete="${o.incomplete}" data-wrong="${o.wrong}" data-left-one="${o.attemptsLeftOne}" data-left-other="${o.attemptsLeftOther}" data-locked-out="${o.lockedOut}" data-lock-over="${o.lockOver}" data-expired="${o.expired}" data-refused="${o.refused}" data-trouble="${o.trouble}" data-unlocked="${o.unlocked}">
<p>${o.explanation}</p>
<noscript><p class="alert">${o.needsScript}</p></noscript>
<div id="code" hidden>
${override.type === 'pin' ? digitBoxes(t.override, label, override.length) : passphraseField(t.override, label)}
<button type="button" class="primary" id="unlock-button">${o.unlock}</button>
</div>
<p id="unlock-said" role="alert"></p><p id="unlock-clock" aria-hidden="true"></p>
${verdict.shortened && html`<a class="primary" id="go-on" hidden href="${verdict.destination.href}" rel="noreferrer">${o.goOn}</a>`}
</section>`
}

function digitBoxes(o: Visit['t']['override'], label: Html, length: number): Html {
  return html`<fieldset><legend>${label}</legend>${Array.from(
    { length },
    (_, index) =>
      html`<input class="digit" inputmode="numeric" autocomplete="${index === 0 ? 'one-time-code' : 'off'}" aria-label="${o.digit(index + 1, length)}">`,
  )}</fieldset>`
}

function passphraseField(o: Visit['t']['override'], label: Html): Html {
  return html`<label class="label" for="passphrase">${label}</label><fieldset><input id="passphrase" type="password" autocomplete="off" autocapitalize="none" spellcheck="false"><button type="button" id="show" aria-pressed="false">${o.show}</button></fieldset>`
}
