// The proxy's error pages, filled in as by Squid; the engine's, which have their frame; and the terminator's, which is like them.
import { readdirSync, readFileSync } from 'node:fs'
import packageJson from '#package' with { type: 'json' }
import { refusalPage } from '../../src/engine/icap/refusal-page.ts'

const { version } = packageJson
const OPERATOR = 'Northwind Institute'
const PRODUCT = 'Gateway Captive Portal'
const FOLDER = new URL('../../deploy/proxy/errors/', import.meta.url)

/** File names. */
export const PROXY_PAGES = readdirSync(FOLDER).filter((name) => name !== 'page.html')

export function readProxyPage(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}

export function filledProxyPage(name: string): string {
  return readProxyPage('page.html')
    .replace(/\$\{PALETTE\}/, 'indigo')
    .replace(/\$\{OPERATOR\}/, OPERATOR)
    .replace(/\$\{PRODUCT\}/, PRODUCT)
    .replace(/\$\{NAME\}/, name.replace('.html', ''))
    .replace(/^\$\{SECTIONS\}$/m, readProxyPage(name))
    .replaceAll('%H', 'news.example')
    .replace(/\$\{DETAILS\}/, 'Code: ERR_ICAP_FAILURE &middot; <time>Mon, 23 Nov 2026 08:00:00 GMT</time>')
}

/** The terminator's page in place of the portal's, as its start program fills it in. */
export function filledUnavailablePage(operator = OPERATOR): string {
  return readFileSync(new URL('../../deploy/terminator/unavailable.html', import.meta.url), 'utf8')
    .replace(/\$\{PALETTE\}/, 'indigo')
    .replace(/\$\{VERSION\}/, version)
    .replace(/\$\{OPERATOR\}/, operator)
    .replace(/\$\{PRODUCT\}/, PRODUCT)
    .replace(/\$\{YEAR\}/, `${new Date().getUTCFullYear()}`)
}

/** By name. */
export const ENGINE_PAGES: Readonly<Record<string, string>> = {
  'ambiguous path': Buffer.from(refusalPage('ambiguous path'), 'latin1').toString(),
}
