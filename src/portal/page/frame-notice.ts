// The pages that other sites may frame: one or two sentences, no link, no script, nothing from the payload.

import { type Html, html } from '../../html/html.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { plainOperatorName, type Site, type Visit } from './frame.ts'
import { languageAttributes } from './i18n/catalogue.ts'
import { SIGNS, type Sign, signImage } from './sign.ts'

export function frameNotice(visit: Visit, style: Html): Html {
  const { title, text } = visit.t.outcome.contentBlocked
  return compactPage(visit, style, SIGNS.block, title, html`<h1>${text(plainOperatorName(visit))}</h1>`)
}

/** For load shedding: depends only on the language. */
export function overloadNotice(site: Site, locale: Locale, style: Html): Html {
  const { title, text, advice } = site.catalogues[locale].outcome.overloaded
  return compactPage(
    { site, locale },
    style,
    SIGNS.clock,
    title,
    html`<h1>${title}</h1>
<p>${text} ${advice}</p>`,
  )
}

function compactPage(
  { site, locale }: Pick<Visit, 'site' | 'locale'>,
  style: Html,
  sign: Sign,
  title: string,
  text: Html,
): Html {
  return html`<!doctype html>
<html${languageAttributes(locale)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="portal-version" content="${site.version}">
<title>${title} – ${site.product}</title>
<style>${style}</style>
</head>
<body><main${sign.tone && html` class="${sign.tone}"`}>${signImage(sign)}<div>${text}</div></main></body>
</html>
`
}
