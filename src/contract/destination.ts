// The URL that a visitor requested, as a type that only this parser creates.
import { readableHost } from './readable-host.ts'

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
