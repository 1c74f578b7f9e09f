// Text that the page's script gives a copy button: a command, a fingerprint, an address. No browser translates it.
import { type Html, html } from '../page/html.ts'

/** @param text what is copied, and shown unless `shown` is given */
export function copyable(id: string, text: string, shown?: Html): Html {
  return html`<p class="copyable"><code id="${id}"><bdi dir="ltr" translate="no">${shown ?? text}</bdi></code></p>`
}
