// The demo's two pages: the list of sample sites, and "you have reached the site".
import { createHash } from 'node:crypto'
import { type Html, html } from '../src/portal/html/html.ts'
import { SAMPLE_SITES } from './sites.ts'

const STYLE = html`
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
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

export function indexPage(port: string, certificatePage: string | undefined): Html {
  return page(
    'Behind the gateway',
    html`<p>Each of these sites is behind a gateway. Choose one: the gateway requests a verdict from its engine, which sends you to the portal or directly to the site.</p>
<ul>${SAMPLE_SITES.map(
      ({ host, path, expect, code }) =>
        html`<li><a href="http://${host}:${port}${path}">${host}</a><br>${expect}${code !== undefined && html` <code>${code}</code>`}</li>`,
    )}</ul>
<p>An acceptance lasts for an hour: open the site again, and you reach it directly. Restart the demo to reset it.</p>${
      certificatePage !== undefined &&
      html`
<p>A gateway that inspects TLS needs devices that trust its CA: <a href="${certificatePage}">the certificate page</a>.</p>`
    }`,
  )
}

export function reachedPage(url: string): Html {
  const { hostname, port } = new URL(url)
  return page(
    `You have reached ${hostname}`,
    html`<p>This is the site itself: the gateway let <code>${url}</code> through.</p>
<p><a href="http://localhost:${port}/">Back to the list</a></p>`,
  )
}

function page(title: string, body: Html): Html {
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
<h1>${title}</h1>
${body}
</body>
</html>
`
}
