// The URL that a visitor asked for, as a type that nothing but this parser can make.

declare const parsed: unique symbol

/** An absolute http or https URL without credentials. */
export interface Destination {
  readonly [parsed]: true
  /** The whole URL in its normal form, fit for a link. */
  readonly href: string
  /** `http://` or `https://`. */
  readonly scheme: string
  /** Host and port; an internationalised name in its ASCII form, so that lookalikes show. */
  readonly host: string
  /** Path, query and fragment, percent-encoded: no character in it can turn the direction of the text. */
  readonly rest: string
}

const ABSOLUTE = /^https?:\/\/[^/?#\\]/i
// The URL parser drops these silently; a page that showed the rest would show another URL.
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
    // Not put together from path, query and fragment: an empty query is part of the address and has no text.
    rest: url.href.slice(url.protocol.length + 2 + url.host.length),
  } as Destination
}
