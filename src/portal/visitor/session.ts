// The signed session cookie: the language that was chosen, and which policies were shown to this browser.
import { parseCookie, stringifySetCookie } from 'cookie'
import { sign, unsign } from 'cookie-signature'
import type { Locale } from '../../config/locales.ts'
import type { Exchange } from '../http/exchange.ts'
import { type OfferedLocales, parseLocale } from '../i18n/negotiate.ts'

/** A policy text that this browser was shown for one verdict. */
interface ShownPolicy {
  /** The verdict's id. */
  readonly reference: string
  readonly locale: Locale
  /** Lower-case hexadecimal. */
  readonly documentSha256: string
  readonly policyVersion: string
}

export interface Session {
  readonly locale: Locale | undefined
  /** The newest last. */
  readonly shown: readonly ShownPolicy[]
}

export interface Sessions {
  /** What the cookie says; nothing where it is missing, forged or cut. */
  read(exchange: Exchange): Session
  /** The value of a Set-Cookie header that keeps this session until the browser closes. */
  cookie(session: Session): string
}

export interface SessionOptions {
  readonly secure: boolean
  readonly locales: OfferedLocales
  /** All of them verify, the first one signs. */
  readonly secrets: readonly [string, ...string[]]
}

const NOTHING: Session = { locale: undefined, shown: [] }
const MAXIMUM_SHOWN = 4

export function createSessions({ secure, locales, secrets }: SessionOptions): Sessions {
  const name = secure ? '__Host-gateway-captive' : 'gateway-captive'
  return {
    read({ headers: { cookie } }) {
      const signed = cookie === undefined ? undefined : parseCookie(cookie)[name]
      if (signed === undefined) return NOTHING
      for (const secret of secrets) {
        const value = unsign(signed, secret)
        if (value !== false) return parseSession(value, locales)
      }
      return NOTHING
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

/** The signature was ours, but perhaps an older version's, or one with other locales. */
function parseSession(value: string, locales: OfferedLocales): Session {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(value, 'base64url').toString())
  } catch {
    return NOTHING
  }
  if (!Array.isArray(json) || !Array.isArray(json[1])) return NOTHING
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
