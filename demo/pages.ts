// The demo's two pages: the list of sample sites, and "you have reached the site".
import { createHash } from 'node:crypto'
import { type Html, html } from '../src/portal/page/html.ts'
import { EXEMPT_SITE, PROXIED_SITES, proxiedHost, SAMPLE_SITES, type SampleSite } from './sites.ts'

const STYLE = html`
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere }
ul { list-style: none; padding: 0 }
li { padding: .75rem 0; border-top: 1px solid #8885 }
li a { font-weight: 600 }
`

const styleHash = createHash('sha256').update(STYLE.toString()).digest('base64')

/** For both pages. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The list for the small gateway, whose sites are on its own port. */
export function indexPage(port: string, certificatePage: string | undefined): Html {
  return listPage({
    introduction: html`<p>Each of these sites is behind a gateway. Choose one: the gateway requests a verdict from its engine, which sends you to the portal or directly to the site.</p>`,
    sites: SAMPLE_SITES,
    hostOf: ({ name }) => `${name}.localhost`,
    origin: (host) => `http://${host}:${port}`,
    certificatePage,
  })
}

/** The list for a browser that uses the proxy. */
export function proxiedIndexPage(certificatePage: string | undefined): Html {
  return listPage({
    introduction: html`<p>In the browser that the demo's command opens, each of these https sites is behind Squid, which decrypts the connection and requests a verdict from the engine. Choose one: you get to the portal or directly to the site. The proxy reaches these sites only, and other browsers do not find them.</p>
<p>The browser's certificate viewer shows which sites are decrypted: their certificates are issued by the gateway's proxy CA.</p>`,
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
    return html`<li><a href="${origin(host)}${path}" translate="no">${host}</a><br>${expect}${code !== undefined && html` <code translate="no">${code}</code>`}</li>`
  })
  return page(
    'Behind the gateway',
    html`${introduction}
<ul>${items}</ul>
<p>An acceptance lasts for an hour: open the site again, and you reach it directly. Restart the demo to reset it.</p>${
      certificatePage !== undefined &&
      html`
<p>A gateway that inspects TLS needs devices that trust its CA: <a href="${certificatePage}">the certificate page</a>.</p>`
    }`,
  )
}

/** @param list the address of the list of sites */
export function reachedPage(url: string, list: string): Html {
  const { hostname } = new URL(url)
  return page(
    `You have reached ${hostname}`,
    html`<p>This is the site itself: the gateway let <code translate="no">${url}</code> through${
      hostname === proxiedHost(EXEMPT_SITE) &&
      ' and did not decrypt it: your browser has the certificate of the site itself'
    }.</p>
<p><a href="${list}">Back to the list</a></p>`,
    html`You have reached <bdi translate="no">${hostname}</bdi>`,
  )
}

function page(title: string, body: Html, heading = html`${title}`): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>${heading}</h1>
${body}
</body>
</html>
`
}
