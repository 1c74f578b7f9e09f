// What browsers bring: 10,000 different payloads on /blocked, with the headers that a browser sends and a terminator adds.
import { randomBytes } from 'node:crypto'
import { buildVerdictUrl } from '../src/contract/redirect.ts'
import type { PayloadKey } from '../src/contract/secret.ts'
import type { VerdictClaims } from '../src/contract/verdict.ts'

export interface Navigation {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

const NAVIGATIONS = 10_000

// Offered and not offered, plain and weighted.
const LANGUAGES = [
  'en-GB,en;q=0.9',
  'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7',
  'fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5',
  'it-IT,it;q=0.9',
  'es-ES,es;q=0.9,en;q=0.6',
]

const RULES: readonly Pick<VerdictClaims, 'destination' | 'rule_name' | 'rule_description' | 'category'>[] = [
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
  },
]

/** Navigations to verdicts of the minute before `now` (Unix seconds), each with its own reference and destination. */
export function blockedNavigations(now: number, key: PayloadKey): Navigation[] {
  return Array.from({ length: NAVIGATIONS }, (_, index) => {
    const rule = pick(RULES, index)
    const detail = randomBytes(8 + (index % 60)).toString('hex')
    const claims: VerdictClaims = {
      ...rule,
      v: 1,
      ts: now - (index % 60),
      kind: 'block',
      jti: randomBytes(16).toString('base64url'),
      destination: `${rule.destination}/section-${index % 97}/${detail}?id=${index}&from=mail`,
    }
    return { target: buildVerdictUrl(claims, '', key), headers: headersOf(index) }
  })
}

/** The request as it goes over the wire. */
export function requestBytes({ target, headers }: Navigation): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
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
