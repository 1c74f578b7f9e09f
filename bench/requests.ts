// Browser requests: 10,000 different requests of each kind, with the headers that a browser sends and a terminator
// adds.
import { randomBytes } from 'node:crypto'
import type { PayloadKey } from '../src/contract/secret.ts'
import type { VerdictClaims, VerdictKind } from '../src/contract/verdict.ts'
import { seal } from '../src/contract/verdict-url.ts'

export interface BrowserRequest {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request for a verdict's page. */
export interface Navigation extends BrowserRequest {
  readonly claims: VerdictClaims
}

export const REQUESTS = 10_000

// Available and unavailable languages, with and without weights.
const LANGUAGES = [
  'en-GB,en;q=0.9',
  'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7',
  'fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5',
  'it-IT,it;q=0.9',
  'es-ES,es;q=0.9,en;q=0.6',
]

type RuleClaims = 'destination' | 'rule_name' | 'rule_description' | 'rule_descriptions' | 'category' | 'override'

const RULES: readonly Pick<VerdictClaims, RuleClaims>[] = [
  {
    destination: 'https://www.betting.example',
    rule_name: 'block-gambling',
    rule_description: 'Gambling sites are blocked by company policy (HR-12).',
    category: 'Gambling',
  },
  {
    destination: 'https://cdn-7.tracker.example:8443',
    rule_name: 'block-trackers',
    rule_description: '',
    category: 'Advertising & tracking',
  },
  {
    destination: 'http://login.bank-verify.example',
    rule_name: 'threat-feed-phishing',
    rule_description:
      "This address is on a list of phishing sites. Did you enter a password? Tell the help desk: it's no fault.",
    category: 'Phishing',
  },
  {
    destination: 'https://xn--mnchen-3ya.example',
    rule_name: 'block-uploads-finance',
    rule_description: 'Für die Buchhaltung gesperrt – Auskunft gibt die IT-Abteilung.',
    rule_descriptions: { en: 'Closed to the accounts department: ask IT.' },
    override: { type: 'pin', length: 6, prompt: 'Code der IT-Abteilung' },
  },
]

/** Every thousandth address is so long that the payload has a shortened one. */
const LONG_PATH = 'a'.repeat(3_000)

// A browser's headers for subresources.
const SUBRESOURCES = [
  { 'Sec-Fetch-Dest': 'image', Accept: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5' },
  { 'Sec-Fetch-Dest': 'script', Accept: '*/*' },
  { 'Sec-Fetch-Dest': 'style', Accept: 'text/css,*/*;q=0.1' },
  { 'Sec-Fetch-Dest': 'font', Accept: 'application/font-woff2;q=1.0,application/font-woff;q=0.9,*/*;q=0.8' },
]

/**
 * Navigations to verdicts of this kind, issued in the minute before `now` (Unix seconds), each with its own reference
 * and destination; warnings and policies can be acknowledged. Together they have every claim that the engine sends.
 */
export function navigations(kind: VerdictKind, now: number, key: PayloadKey): Navigation[] {
  return Array.from({ length: REQUESTS }, (_, index) => {
    const { override, ...rule } = pick(RULES, index)
    const path = index % 1000 === 999 ? LONG_PATH : `section-${index % 97}`
    const detail = randomBytes(8 + (index % 60)).toString('hex')
    const claims: VerdictClaims = {
      ...rule,
      v: 1,
      ts: now - (index % 60),
      kind,
      jti: randomBytes(16).toString('base64url'),
      destination: `${rule.destination}/${path}/${detail}?id=${index}&from=mail`,
      // A rule with a schedule.
      ...(index % 8 === 0 && { opens_at: now + 3600 }),
      ...(kind !== 'block' && {
        ack_token: randomBytes(24).toString('base64url'),
        session_seconds: 3600 + 1800 * (index % 3),
        ...(override && { override }),
      }),
    }
    return { target: seal(claims, '', key).url, headers: headersOf(index), claims }
  })
}

/** Subresources of a blocked page, which the gateway redirects like the page. */
export function subresources(pages: readonly Navigation[]): BrowserRequest[] {
  return pages.map(({ target, headers }, index) => {
    const { 'Upgrade-Insecure-Requests': _, ...rest } = headers
    return { target, headers: { ...rest, ...pick(SUBRESOURCES, index), 'Sec-Fetch-Mode': 'no-cors' } }
  })
}

/** Acknowledgements of warnings issued by an engine, as sent by a click on the button. */
export function acknowledgements(queries: readonly string[]): BrowserRequest[] {
  return queries.map((query, index) => ({
    target: `/api/captive/ack?${query}`,
    headers: { ...headersOf(index), 'Sec-Fetch-Site': 'same-origin' },
  }))
}

/** Malformed payloads: rejected without decryption. */
export function malformed(pages: readonly Navigation[]): BrowserRequest[] {
  return pages.map((page) => ({ ...page, target: page.target.replaceAll('.', '_') }))
}

/** Payloads with a wrong tag: rejected after decryption. */
export function forged(pages: readonly Navigation[]): BrowserRequest[] {
  return pages.map((page) => {
    const tag = page.target.indexOf('&v=') - 22
    const other = page.target[tag] === 'A' ? 'B' : 'A'
    return { ...page, target: page.target.slice(0, tag) + other + page.target.slice(tag + 1) }
  })
}

/** The request's bytes on the wire. */
export function requestBytes({ target, headers }: BrowserRequest): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

/** A browser's headers, as they reach a proxy. */
export function browserHeaders(index: number, host: string): Record<string, string> {
  const { 'X-Forwarded-For': _for, 'X-Forwarded-Proto': _proto, ...own } = headersOf(index)
  return { ...own, Host: host }
}

function headersOf(index: number): Record<string, string> {
  return {
    Host: 'portal.example',
    'X-Forwarded-For': `10.20.${index >> 8}.${index % 256}`,
    'X-Forwarded-Proto': 'https',
    'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language': pick(LANGUAGES, index),
    'Accept-Encoding': 'gzip, deflate, br, zstd',
    'Upgrade-Insecure-Requests': '1',
    'Sec-Fetch-Dest': 'document',
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Site': 'cross-site',
  }
}

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item
}
