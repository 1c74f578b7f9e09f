// The URL that a visitor requested, as a type that only this parser creates.
import { domainToUnicode } from 'node:url'

declare const parsed: unique symbol

/** An absolute http or https URL without credentials. */
export interface Destination {
  readonly [parsed]: true
  /** The whole URL, normalised; safe for a link. */
  readonly href: string
  /** `http://` or `https://`. */
  readonly scheme: string
  /** Host and port; an internationalised name in its ASCII form, so that lookalikes are visible. */
  readonly host: string
  /** The host as its language writes it; undefined if it is the same, or could be a lookalike. */
  readonly readableHost: string | undefined
  /** Path, query and fragment, percent-encoded: no character in it can change the direction of the text. */
  readonly rest: string
}

const ABSOLUTE = /^https?:\/\/[^/?#\\]/i
// The URL parser drops these silently: the page would show another URL.
const CONTROL = /[\0-\x1f\x7f]/

/** Reads an absolute http or https URL; undefined for anything else. Credentials are dropped. */
export function parseDestination(text: string): Destination | undefined {
  if (!ABSOLUTE.test(text) || CONTROL.test(text)) return undefined
  const url = URL.parse(text)
  if (url === null) return undefined
  if (url.username !== '' || url.password !== '') {
    url.username = ''
    url.password = ''
  }
  return {
    href: url.href,
    scheme: `${url.protocol}//`,
    host: url.host,
    readableHost: readableHost(url.hostname),
    // Not concatenated from path, query and fragment: that would lose the `?` of an empty query.
    rest: url.href.slice(url.protocol.length + 2 + url.host.length),
  } as Destination
}

// The readable form of an internationalised host name, unless it could be taken for another name.

const SCRIPTS =
  'Greek Cyrillic Hebrew Arabic Thai Lao Khmer Sinhala Tamil Telugu Kannada Malayalam Devanagari Bengali Gujarati'
/** Letters that may share a label: of Latin only those of European languages and Vietnamese, of Asian scripts also mixtures. */
const LETTERS = [
  'a-z\\u00df-\\u00f6\\u00f8-\\u017f\\u1ea0-\\u1ef9',
  ...SCRIPTS.split(' ').map(ofScript),
  ...['Han Hiragana Katakana', 'Han Hangul', 'Han Bopomofo'].map((mixed) => mixed.split(' ').map(ofScript).join('')),
]
/** Compiled for the first internationalised name, because that takes one per cent of the startup time. */
let oneScript: readonly RegExp[] | undefined
/** Words that look like Latin ones: Chromium's lists of whole-script lookalikes. */
const LIKE_LATIN = /^(?=.*\D)(?:[асԁеһіјӏорԛѕԝхуъьҽпгѵѡ\d-]+|[αικνρυωηοτ\d-]+)$/

/** Names recur, and converting one takes several per cent of its page's CPU time. */
const cache = new Map<string, string | undefined>()
const MAXIMUM_CACHED = 1000

function ofScript(name: string): string {
  return `\\p{Script_Extensions=${name}}`
}

/** @returns undefined for a name in ASCII, with a label in several scripts, or with one that looks like Latin */
function readableHost(hostname: string): string | undefined {
  if (!hostname.includes('xn--')) return undefined
  if (cache.size >= MAXIMUM_CACHED) cache.clear()
  return cache.getOrInsertComputed(hostname, convert)
}

function convert(hostname: string): string | undefined {
  const readable = domainToUnicode(hostname)
  return readable !== hostname && readable.split('.').every(isSafe) ? readable : undefined
}

function isSafe(label: string): boolean {
  oneScript ??= LETTERS.map((letters) => new RegExp(`^[[[${letters}]&&[\\p{L}\\p{M}]]\\d\\-]+$`, 'v'))
  return oneScript.some((script) => script.test(label)) && !LIKE_LATIN.test(label)
}
