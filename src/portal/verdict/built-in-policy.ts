// The default policy, for operators without their own.
import { type Html, html } from '../page/html.ts'
import type { Messages } from '../page/i18n/en.ts'

export function builtInPolicy({ policyHeading, policy }: Messages['aup']): Html {
  return html`<h2>${policyHeading}</h2>
<p>${policy.introduction}</p>
<ul>${policy.rules.map((rule) => html`<li>${rule}</li>`)}</ul>
<p>${policy.conclusion}</p>`
}
