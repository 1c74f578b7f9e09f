// The way back to where the visitor came from: shown by its script, if there is such a page.
import { type Html, html } from '../../html/html.ts'
import type { Messages } from './i18n/en.ts'

export function backButton({ goBack, nothingToGoBackTo }: Messages): Html {
  return html`<button class="primary" id="back" hidden data-nothing="${nothingToGoBackTo}">${goBack}</button>`
}

/** Where the button's script says that nothing happened. */
export const backStatus = html`<p class="alert" id="status" role="status"></p>`
