// Text that a visitor takes along: a command, a fingerprint, an address. The button needs script and appears with it.
import { type Html, html } from '../html/html.ts'
import type { Messages } from '../i18n/en.ts'

/** @param text as it is copied; without `shown` it is also what is shown */
export function copyable({ certificate }: Messages, id: string, text: string, shown?: Html): Html {
  return html`<p class="copyable"><code id="${id}"><bdi dir="ltr">${shown ?? text}</bdi></code> <button type="button" data-copies="${id}" hidden>${certificate.copy}</button> <span role="status"></span></p>`
}
