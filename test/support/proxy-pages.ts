// The proxy's error pages, filled in as by Squid.
import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../deploy/gateway/errors/', import.meta.url)

/** File names. */
export const PROXY_PAGES = readdirSync(FOLDER).filter((name) => name !== 'page.html')

export function readProxyPage(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}

export function filledProxyPage(name: string): string {
  return readProxyPage('page.html')
    .replace(/^\$\{SECTIONS\}$/m, readProxyPage(name))
    .replaceAll('%H', 'news.example')
    .replaceAll('%c', 'ERR_ICAP_FAILURE')
    .replaceAll('%T', 'Mon, 23 Nov 2026 08:00:00 GMT')
}
