// Text with a copy button: a command, a fingerprint, an address. Without script the button stays hidden.
import { type Html, html } from '../html/html.ts'
import type { Messages } from '../i18n/en.ts'

/** @param text what is copied, and shown unless `shown` is given */
export function copyable({ certificate }: Messages, id: string, text: string, shown?: Html): Html {
  return html`<p class="copyable"><code id="${id}"><bdi dir="ltr">${shown ?? text}</bdi></code> <button hidden>${certificate.copy}</button> <span role="status"></span></p>`
}
