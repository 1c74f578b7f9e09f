// The demo's two pages: the list of sample sites, and "you have reached the site". They look like the portal's.
import { createHash } from 'node:crypto'
import { type Html, html, trusted } from '../src/html/html.ts'
import { withShortNames } from '../src/html/palettes.ts'
import { buildAssets } from '../src/portal/page/assets.ts'
import { destinationBox } from '../src/portal/page/destination-box.ts'
import { SIGNS, type Sign, signIcon, signImage } from '../src/portal/page/sign.ts'
import { EXEMPT_SITE, PROXIED_SITES, proxiedHost, SAMPLE_SITES, type SampleSite } from './sites.ts'

const { style, darkStyle, styleSource } = buildAssets('indigo')

/** Sites as rows: the host, and what happens. */
const LIST_STYLE = trusted(
  withShortNames(`
header { padding: .75rem 0 }
.sites { list-style: none; margin: 1.5rem 0; padding: 0 }
.sites li { display: flex; flex-wrap: wrap; align-items: baseline; column-gap: 1rem; margin: 0; border-top: 1px solid var(--line); padding: .35rem 0 }
.sites a { flex: 1 1 10.5rem; padding: .6rem 0 .3rem; font-weight: 600 }
.sites span { flex: 2 1 18rem; padding-bottom: .3rem; font-size: .9375rem }
.next { margin-top: 1.375rem }
code { white-space: nowrap; user-select: all }
`),
)

const listStyleSource = `'sha256-${createHash('sha256').update(LIST_STYLE.toString()).digest('base64')}'`

/** For both pages. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src ${styleSource} ${listStyleSource}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The list for the small gateway, whose sites are on its own port. */
export function indexPage(port: string, certificatePage: string | undefined): Html {
  return listPage({
    introduction: html`<p class="reason">Each of these sites is behind a gateway, which asks its engine about every request. Open one: you get to the portal, or to the site.</p>`,
    sites: SAMPLE_SITES,
    hostOf: ({ name }) => `${name}.localhost`,
    origin: (host) => `http://${host}:${port}`,
    certificatePage,
  })
}

/** The list for a browser that uses the proxy. */
export function proxiedIndexPage(certificatePage: string | undefined): Html {
  return listPage({
    introduction: html`<p class="reason">Each of these https sites is behind Squid, which decrypts the connection and asks the engine about every request. Open one: you get to the portal, or to the site.</p>
<p class="quiet">Only the browser that the demo’s command opens finds them. Its certificate viewer shows which are decrypted: their certificates are issued by the gateway’s proxy CA.</p>`,
    sites: PROXIED_SITES,
    hostOf: proxiedHost,
    origin: (host) => `https://${host}`,
    certificatePage,
  })
}

interface ListPage {
  readonly introduction: Html
  readonly sites: readonly SampleSite[]
  readonly hostOf: (site: SampleSite) => string
  readonly origin: (host: string) => string
  readonly certificatePage: string | undefined
}

function listPage({ introduction, sites, hostOf, origin, certificatePage }: ListPage): Html {
  const items = sites.map((site) => {
    const { path, expect, code } = site
    const host = hostOf(site)
    return html`<li><a href="${origin(host)}${path}" translate="no">${host.split('.').map((label, index) => html`${index > 0 && html`<wbr>.`}${label}`)}</a> <span>${expect}${code !== undefined && html`:&nbsp;<code translate="no">${code}</code>`}.</span></li>
`
  })
  return page(
    SIGNS.policy,
    'Behind the gateway',
    html`${introduction}
<ul class="sites">
${items}</ul>
<p class="quiet">What you accept lasts for an hour: until then, the site opens at once. Restart the demo to forget it.</p>${
      certificatePage !== undefined &&
      html`
<p class="quiet">A gateway that decrypts needs devices that trust its CA: <a href="${certificatePage}">the certificate page</a> helps with that.</p>`
    }`,
  )
}

/** @param list the address of the list of sites */
export function reachedPage(url: string, list: string): Html {
  const { protocol, host, hostname, pathname, search } = new URL(url)
  const rest = pathname === '/' ? search : pathname + search
  return page(
    SIGNS.information,
    `You have reached ${hostname}`,
    html`${destinationBox({ scheme: `${protocol}//`, host, rest, readableHost: undefined }, { longLabel: false })}
<p class="reason">This is the site itself: the gateway let you through${
      hostname === proxiedHost(EXEMPT_SITE) &&
      ' and did not decrypt the connection: your browser has the certificate of the site itself'
    }.</p>
<p class="next"><a class="primary" href="${list}">Back to the list</a></p>`,
    html`You have reached <bdi translate="no">${hostname}</bdi>`,
  )
}

function page(sign: Sign, title: string, body: Html, heading = html`${title}`): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="${signIcon(sign)}">
<style>${style}</style>
<style media="screen and (prefers-color-scheme:dark)">${darkStyle}</style>
<style>${LIST_STYLE}</style>
</head>
<body>
<header><div class="brand">Gateway <small>Demo</small></div></header>
<main><article>
${signImage(sign)}
<h1>${heading}</h1>
${body}
</article></main>
<footer><p>Everything is on this computer: Ctrl-C in the terminal stops it and deletes its data.</p></footer>
</body>
</html>
`
}
