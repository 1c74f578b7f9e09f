// The frame of every page: head, topbar and footer.

import type { Locale } from '../../settings/sections/locales.ts'
import { PUBLISHER } from '../settings/brand.ts'
import type { SupportLink } from '../settings/support-link.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { LANGUAGE_NAMES } from './i18n/catalogue.ts'
import type { Messages } from './i18n/en.ts'
import { supportHref } from './support.ts'

export interface Operator {
  readonly name: string
  /** Link of a brand company's name. */
  readonly url: string | undefined
}

/** The part of every page that depends only on configuration and assets. */
export interface Site {
  readonly product: string
  /** The operator as the specification resolves it; undefined selects the catalogue's fallback. */
  readonly operator: Operator | undefined
  /** Without the release type. */
  readonly version: string
  /** With the release type, if there is one. */
  readonly versionLabel: string
  readonly supportLink: SupportLink | undefined
  readonly supportText: string | undefined
  readonly logo: Html | undefined
  /** Whether every page is marked as a preview. */
  readonly isPreview: boolean
  readonly locales: readonly Locale[]
  /** Of the operator's texts. */
  readonly defaultLocale: Locale
  /** Of times in the text. */
  readonly timeZone: string
  readonly verdictFace: boolean
  readonly style: Html
  readonly certificateStyle: Html
  /** Overrides of the dark flavour. */
  readonly darkStyle: Html
  readonly scripts: Scripts
}

/** Inline scripts, which the CSP allows by hash. */
export interface Scripts {
  readonly chosenTheme: Html
  readonly page: Html
  /** One for each way to acknowledge: a link, a link on a warning, a code. */
  readonly proceed: Html
  readonly warning: Html
  readonly pin: Html
  readonly passphrase: Html
  readonly lockedOut: Html
  readonly certificate: Html
}

/** The part of a page that depends on the visitor, except for the verdict. */
export interface Visit {
  readonly site: Site
  readonly locale: Locale
  readonly t: Messages
  /** For the copyright line. */
  readonly year: number
  /** Whether the certificate page currently exists. */
  readonly hasCertificatePage: boolean
}

interface Content {
  readonly title: string
  /** The paths of an SVG of 48 units, as part of a data URL. */
  readonly icon?: Html
  readonly body: Html
  /** The address of this page in another language; undefined hides the language menu. */
  readonly inLanguage?: ((locale: Locale) => Html | string) | undefined
  /** The support link with the page's details. */
  readonly support?: HtmlValue
  /** Whether the page is a verdict's that is of little use without script: the script then completes the language menu. */
  readonly needsScript?: boolean
  /** Whether the page itself explains certificate errors. */
  readonly explainsCertificates?: boolean
  /** Additional style of this page. */
  readonly style?: Html
  /** Additional scripts of this page. */
  readonly scripts?: readonly Html[] | undefined
}

/** A data URL, so that no page makes a second request. */
function iconLink(paths: Html | undefined): Html {
  return paths === undefined
    ? html`<link rel="icon" href="data:,">`
    : html`<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 48 48'%3E${paths}%3C/svg%3E">`
}

export function frame(visit: Visit, content: Content): Html {
  const {
    title,
    icon,
    body,
    inLanguage,
    support,
    needsScript = false,
    explainsCertificates,
    style,
    scripts = [],
  } = content
  const { site, locale, t } = visit
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="portal-version" content="${site.version}">
<title>${title} – ${site.product}</title>
${iconLink(icon)}
<style>${site.style}</style>
<style id="dark" media="screen and (prefers-color-scheme:dark)">${site.darkStyle}</style>
${style && html`<style>${style}</style>`}<script>${site.scripts.chosenTheme}</script>
</head>
<body>
<a class="skip" href="#main">${t.topbar.skip}</a>
<header>
${site.logo}<div class="product"><bdi>${site.product}</bdi>${site.operator && html`<small><bdi>${site.operator.name}</bdi></small>`}</div>
<div>${inLanguage && site.locales.length > 1 && languageSwitch(visit, inLanguage, needsScript)}
<button id="theme" hidden aria-label="${t.topbar.dark}"><svg viewBox="0 0 24 24"><path d="M12 2a10 10 0 000 20 10 10 0 000-20zm0 2v16a8 8 0 010-16z"/></svg></button></div>
</header>
<main id="main">${site.isPreview && html`<p class="alert">${t.topbar.preview}</p>`}<article>
${body}
</article>${visit.hasCertificatePage && !explainsCertificates && certificateError(t)}</main>
<footer>
<p><a href="/privacy?lang=${locale}">${t.footer.privacy}</a>${visit.hasCertificatePage && html`<a href="/ca">${t.footer.certificate}</a>`}${site.supportLink && html`<a href="${support ?? supportHref(site.supportLink)}" rel="noreferrer">${t.footer.support}</a>`}</p>
<p lang="en">Copyright © ${visit.year} ${PUBLISHER}. All rights reserved.</p>
</footer>
${[site.scripts.page, ...scripts].map((script) => html`<script>${script}</script>`)}
</body>
</html>
`
}

/** The operator's name, linked if it has a URL, or the fallback in the page's language. */
export function operatorName(visit: Visit): Html {
  const url = visit.site.operator?.url
  const name = plainOperatorName(visit)
  return url === undefined ? name : html`<a href="${url}" rel="noreferrer">${name}</a>`
}

export function plainOperatorName({ site, t }: Visit): Html {
  return site.operator === undefined ? html`${t.operator.fallback}` : html`<bdi>${site.operator.name}</bdi>`
}

/** Address and text of the support, to read, copy and print; undefined if neither is configured. */
export function supportContact({ supportLink, supportText }: Site, href?: string): Html | undefined {
  if (supportLink === undefined)
    return supportText === undefined ? undefined : html`<bdi translate="no">${supportText}</bdi>`
  const { address } = supportLink
  const linked = href === undefined ? html`${address}` : html`<a href="${href}" rel="noreferrer">${address}</a>`
  return html`<bdi translate="no">${linked}${supportText !== undefined && html`, ${supportText}`}</bdi>`
}

/** On every page while a CA is published: visitors see one of them right after the browser's warning. */
function certificateError({ certificateError: { question, answer, setUp } }: Messages): Html {
  return html`<details class="why"><summary>${question}</summary>${answer} <a href="/ca">${setUp}</a></details>`
}

/** Each link repeats the payload. To save that space, a page that needs script leaves the addresses to it. */
function languageSwitch(
  { site, locale, t }: Visit,
  inLanguage: (locale: Locale) => Html | string,
  needsScript: boolean,
): Html {
  const { locales } = site
  const own = locales.indexOf(locale)
  const others = [...locales.slice(own + 1), ...locales.slice(0, own)]
  const link = (other: Locale) =>
    html`<li><a${!needsScript && html` href="${inLanguage(other)}"`} lang="${other}">${LANGUAGE_NAMES[other]}</a></li>`
  return html`<details${needsScript && html` hidden`}><summary aria-label="${t.details.labelled(t.topbar.language, LANGUAGE_NAMES[locale])}">${LANGUAGE_NAMES[locale]} ▾</summary><ul>${others.map(link)}</ul></details>`
}
