// The signed session cookie: the chosen language, and the policies that this browser was shown.
import { parseCookie, stringifySetCookie } from 'cookie'
import { sign, unsign } from 'cookie-signature'
import type { Locale } from '../../settings/sections/locales.ts'
import type { Exchange } from '../http/exchange.ts'
import { type OfferedLocales, parseLocale } from '../page/i18n/negotiate.ts'

/** A policy text that this browser was shown for one verdict. */
interface ShownPolicy {
  /** The verdict's id. */
  readonly reference: string
  /** The text's language. */
  readonly locale: Locale
  /** Lower-case hexadecimal. */
  readonly documentSha256: string
  readonly policyVersion: string
}

export interface Session {
  readonly locale: Locale | undefined
  /** Newest last. */
  readonly shown: readonly ShownPolicy[]
}

export interface Sessions {
  /** The cookie's session; an empty one when it is missing, forged or truncated. */
  read(exchange: Exchange): Session
  /** The value of a Set-Cookie header; the cookie lasts until the browser is closed. */
  cookie(session: Session): string
}

export interface SessionOptions {
  readonly secure: boolean
  readonly locales: OfferedLocales
  /** The first one signs, all of them verify. */
  readonly secrets: readonly [string, ...string[]]
}

const EMPTY_SESSION: Session = { locale: undefined, shown: [] }
const MAXIMUM_SHOWN = 4

export function createSessions({ secure, locales, secrets }: SessionOptions): Sessions {
  const name = secure ? '__Host-gateway-captive' : 'gateway-captive'
  return {
    read({ headers: { cookie } }) {
      const signed = cookie === undefined ? undefined : parseCookie(cookie)[name]
      if (signed === undefined) return EMPTY_SESSION
      for (const secret of secrets) {
        const value = unsign(signed, secret)
        if (value !== false) return parseSession(value, locales)
      }
      return EMPTY_SESSION
    },
    cookie({ locale, shown }) {
      const kept = shown
        .slice(-MAXIMUM_SHOWN)
        .map((one) => [one.reference, one.locale, one.documentSha256, one.policyVersion])
      const value = Buffer.from(JSON.stringify([locale ?? null, kept])).toString('base64url')
      return stringifySetCookie({
        name,
        value: sign(value, secrets[0]),
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure,
      })
    },
  }
}

/** The signature is valid, but the cookie may come from an older version or another configuration. */
function parseSession(value: string, locales: OfferedLocales): Session {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(value, 'base64url').toString())
  } catch {
    return EMPTY_SESSION
  }
  if (!Array.isArray(json) || !Array.isArray(json[1])) return EMPTY_SESSION
  return {
    locale: parseLocale(json[0], locales),
    shown: json[1].flatMap((one) => parseShown(one, locales)).slice(-MAXIMUM_SHOWN),
  }
}

function parseShown(one: unknown, locales: OfferedLocales): ShownPolicy[] {
  if (!Array.isArray(one)) return []
  const [reference, name, documentSha256, policyVersion] = one
  const locale = parseLocale(name, locales)
  if (locale === undefined) return []
  if (typeof reference !== 'string' || typeof documentSha256 !== 'string' || typeof policyVersion !== 'string')
    return []
  return [{ reference, locale, documentSha256, policyVersion }]
}
