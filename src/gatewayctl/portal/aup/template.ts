// The text in the editor when there is no policy yet.
import type { Locale } from '../../../settings/sections/locales.ts'

export function template(locale: Locale): string {
  return `<!--
The acceptable use policy that visitors read and accept, in this language: ${locale}.

Replace the sample below with your own rules, save, and close the editor: the
portal then shows them. If you close it without a change, or save an empty file,
nothing happens.

Supported: headings, lists, links, emphasis, code spans, block quotes. HTML is
shown as text. This comment is not shown.
-->

# Acceptable use policy

By using this network you agree to these rules.

- Rule one.
- Rule two.

Questions? [The service desk](https://desk.example) helps.
`
}
