// The proxy's error pages, filled in as by Squid, and the engine's, which have their frame.
import { readdirSync, readFileSync } from 'node:fs'
import { refusalPage } from '../../src/engine/icap/refusal-page.ts'

const FOLDER = new URL('../../deploy/proxy/errors/', import.meta.url)

/** File names. */
export const PROXY_PAGES = readdirSync(FOLDER).filter((name) => name !== 'page.html')

export function readProxyPage(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}

export function filledProxyPage(name: string): string {
  return readProxyPage('page.html')
    .replace(/^\$\{SECTIONS\}$/m, readProxyPage(name))
    .replaceAll('%H', 'news.example')
    .replace(
      /\$\{DETAILS\}/,
      'ERR_ICAP_FAILURE &middot; <bdi>news.example</bdi> &middot; Mon, 23 Nov 2026 08:00:00 GMT',
    )
}

/** By name. */
export const ENGINE_PAGES: Readonly<Record<string, string>> = {
  'ambiguous path': Buffer.from(refusalPage('ambiguous path'), 'latin1').toString(),
}
