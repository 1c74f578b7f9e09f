// Our error pages in place of Squid's.

/** Which page Squid shows for which of its errors; `gateway-problem` is for all others. */
const ERRORS: Readonly<Record<string, readonly string[]>> = {
  'cannot-decide': ['ERR_ICAP_FAILURE'],
  'not-found': ['ERR_DNS_FAIL'],
  'no-response': [
    ...['ERR_CONNECT_FAIL', 'ERR_READ_ERROR', 'ERR_READ_TIMEOUT', 'ERR_WRITE_ERROR', 'ERR_ZERO_SIZE_OBJECT'],
    ...['ERR_CANNOT_FORWARD', 'ERR_LIFETIME_EXP', 'ERR_INVALID_RESP'],
  ],
  'not-secure': ['ERR_SECURE_CONNECT_FAIL'],
  denied: ['ERR_ACCESS_DENIED', 'ERR_CACHE_MGR_ACCESS_DENIED'],
  'other-address': ['ERR_CONFLICT_HOST'],
  'sign-in': ['ERR_CACHE_ACCESS_DENIED'],
  'too-many-connections': ['ERR_TOO_MANY_CONNECTIONS'],
  'invalid-address': ['ERR_INVALID_URL'],
  'too-long': ['ERR_TOO_BIG'],
  'invalid-request': ['ERR_INVALID_REQ', 'ERR_UNSUP_REQ', 'ERR_UNSUP_HTTPVERSION', 'ERR_PROTOCOL_UNKNOWN'],
  'no-copy': ['ERR_ONLY_IF_CACHED_MISS'],
}
const OTHERS = 'gateway-problem'

/** What Squid fills in: the error's name and the time. */
const DETAILS = 'Code: %c &middot; <time>%T</time>'

/** The names of pages in deploy/proxy/errors, without `.html`. */
export const PAGE_NAMES: readonly string[] = [...Object.keys(ERRORS), OTHERS]

export interface Look {
  /** The operator's name. */
  readonly operator: string | undefined
  readonly product: string
  readonly palette: string
}

/**
 * Squid's error files by name.
 * @param frame page.html
 * @param page the content of a page by name
 * @param squidsOwn names of files that Squid ships
 */
export function errorPages(
  frame: string,
  page: (name: string) => string,
  squidsOwn: readonly string[],
  { operator = '', product, palette }: Look,
): Readonly<Record<string, string>> {
  const named = Object.entries(ERRORS).flatMap(([name, errors]) => errors.map((error) => [error, name] as const))
  const others = squidsOwn.filter((error) => error.startsWith('ERR_')).map((error) => [error, OTHERS] as const)
  const pages = new Map([...others, ...named])
  return Object.fromEntries(
    [...pages].map(([error, name]) => [
      error,
      frame
        .replace(/\$\{PALETTE\}/, palette)
        .replace(/\$\{OPERATOR\}/, asMarkup(operator))
        .replace(/\$\{PRODUCT\}/, asMarkup(product))
        .replace(/\$\{NAME\}/, name)
        .replace(/\$\{SECTIONS\}\n/, () => page(name))
        .replace(/\$\{DETAILS\}/, () => DETAILS),
    ]),
  )
}

/** Escapes what has a meaning in HTML, to Squid (`%`) or here (`$`). */
function asMarkup(text: string): string {
  return text.replace(/[&<>"'%$]/g, (character) => `&#${character.charCodeAt(0)};`)
}
