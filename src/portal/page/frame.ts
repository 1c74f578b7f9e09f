// The frame of every page: head, topbar and footer.

import { type Html, type HtmlValue, html } from '../../html/html.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { PUBLISHER } from '../settings/brand.ts'
import type { SupportLink } from '../settings/support-link.ts'
import { type Catalogues, isRightToLeft, LANGUAGE_NAMES, languageAttributes } from './i18n/catalogue.ts'
import type { Messages } from './i18n/en.ts'
import { type Sign, signIcon } from './sign.ts'
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
  /** The same for pages that are read before the CA is trusted: part of the page. */
  readonly inlineLogo: Html | undefined
  /** Whether every page is marked as a preview. */
  readonly isPreview: boolean
  readonly locales: readonly Locale[]
  readonly catalogues: Catalogues
  /** Of the operator's texts. */
  readonly defaultLocale: Locale
  /** Of times in the text. */
  readonly timeZone: string
  readonly verdictFace: boolean
  readonly style: Html
  readonly certificateStyle: Html
  /** In addition to `style`, on verdict and outcome pages but a policy with a PIN. */
  readonly withoutPinStyle: Html
  /** Overrides of the dark flavour. */
  readonly darkStyle: Html
  readonly rightToLeftStyle: Html
  readonly scripts: Scripts
}

/** Inline scripts, which the CSP allows by hash. */
export interface Scripts {
  readonly chosenTheme: Html
  /** The script of a page that needs no more than every page; the others contain it. */
  readonly page: Html
  /** Of the way back. */
  readonly back: Html
  /** One for each way to acknowledge: a link, a link on a warning (with the way back), a code. */
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
  /** Of the browser's tab, and the colour of the sheet's edge. */
  readonly sign?: Sign
  readonly body: Html
  /** The address of this page in another language; undefined hides the language menu. */
  readonly inLanguage?: ((locale: Locale) => Html | string) | undefined
  /** The support link with the page's details; false if the page itself has that link. */
  readonly support?: HtmlValue
  /** Whether the page is a verdict's whose language menu the script completes. */
  readonly leavesMenuToScript?: boolean
  /** Whether the page itself explains certificate errors. */
  readonly explainsCertificates?: boolean
  /** Additional style of this page. */
  readonly style?: Html | undefined
  /** Contains the one of every page. */
  readonly script?: Html | undefined
}

export function frame(visit: Visit, content: Content): Html {
  const {
    title,
    sign,
    body,
    inLanguage,
    support,
    leavesMenuToScript = false,
    explainsCertificates,
    style,
    script = visit.site.scripts.page,
  } = content
  const { site, locale, t } = visit
  return html`<!doctype html>
<html${languageAttributes(locale)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="portal-version" content="${
    site.version
  }"><title>${title} – ${site.product}</title><link rel="icon" href="${
    sign === undefined ? 'data:,' : signIcon(sign)
  }"><style>${site.style}</style><style id="dark" media="screen and (prefers-color-scheme:dark)">${
    site.darkStyle
  }</style>${style && html`<style>${style}</style>`}${
    isRightToLeft(locale) && html`<style>${site.rightToLeftStyle}</style>`
  }<script>${site.scripts.chosenTheme}</script></head><body><a class="skip" href="#main">${t.topbar.skip}</a><header>${
    explainsCertificates ? site.inlineLogo : site.logo
  }<div class="brand">${
    site.operator
      ? html`<bdi>${site.operator.name}</bdi><small><bdi>${site.product}</bdi></small>`
      : html`<bdi>${site.product}</bdi>`
  }</div><div>${
    inLanguage && site.locales.length > 1 && languageSwitch(visit, inLanguage, leavesMenuToScript)
  }<button id="theme" hidden aria-label="${t.topbar.dark}">◐</button></div></header><main id="main">${
    site.isPreview && html`<p class="alert">${t.topbar.preview}</p>`
  }<article${
    sign?.tone && html` class="${sign.tone}"`
  }>${body}</article></main><footer><p><a href="/privacy?lang=${locale}">${t.footer.privacy}</a>${
    visit.hasCertificatePage &&
    html`<a href="/ca">${explainsCertificates ? t.footer.certificate : t.footer.certificateError}</a>`
  }${
    site.supportLink &&
    support !== false &&
    html`<a href="${support ?? supportHref(site.supportLink)}">${t.footer.support}</a>`
  }</p><p lang="en"><bdi>Copyright © ${visit.year} ${
    PUBLISHER
  }. All rights reserved.</bdi></p></footer><script>${script}</script></body></html>
`
}

/** The operator's name, linked if it has a URL, or the fallback in the page's language. */
export function operatorName(visit: Visit): Html {
  const url = visit.site.operator?.url
  const name = plainOperatorName(visit)
  return url === undefined ? name : html`<a href="${url}">${name}</a>`
}

export function plainOperatorName({ site, t }: Visit): Html {
  return site.operator === undefined ? html`${t.operator.fallback}` : html`<bdi>${site.operator.name}</bdi>`
}

/** Address and text of the support, a line each, to read, copy and print; undefined if neither is configured. */
export function supportContact({ supportLink, supportText }: Site, href?: string): Html | undefined {
  const text = supportText !== undefined && withBreaks(supportText)
  if (supportLink === undefined) return text === false ? undefined : html`<bdi translate="no">${text}</bdi>`
  const address = withBreaks(supportLink.address)
  const linked = href === undefined ? address : html`<a href="${href}">${address}</a>`
  return html`<bdi translate="no">${linked}${text && html`<br>${text}`}</bdi>`
}

/** In a mail's or a website's address: a long one breaks after the `@` and before a dot. */
function withBreaks(contact: string): Html {
  return html`${contact.split(/(?<=@)|(?<=[@/]\S*)(?=\.)/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`
}

/** Each link repeats a verdict's payload. To save that space, some pages leave the addresses to their script. */
function languageSwitch(
  { site, locale, t }: Visit,
  inLanguage: (locale: Locale) => Html | string,
  leavesToScript: boolean,
): Html {
  const others = site.locales.filter((other) => other !== locale)
  const link = (other: Locale) =>
    html`<li><a${!leavesToScript && html` href="${inLanguage(other)}"`} lang="${other}">${LANGUAGE_NAMES[other]}</a></li>`
  return html`<details${leavesToScript && html` hidden`}><summary aria-label="${t.details.labelled(t.topbar.language, LANGUAGE_NAMES[locale])}"><span>${LANGUAGE_NAMES[locale]}</span><b>${locale.toUpperCase()}</b> ▾</summary><ul>${others.map(link)}</ul></details>`
}
