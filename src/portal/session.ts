// The signed session cookie: the language that was chosen, and which policies were shown to this browser.
import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Locale } from '../config/locales.ts'
import { type OfferedLocales, parseLocale } from './i18n/negotiate.ts'

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

/** Over the cookie plugin, which parses, signs and verifies. */
export interface Sessions {
  /** What the cookie says; nothing where it is missing, forged or cut. */
  read(request: FastifyRequest): Session
  /** Keeps this session until the browser closes. */
  write(reply: FastifyReply, session: Session): void
}

const NOTHING: Session = { locale: undefined, shown: [] }
const MAXIMUM_SHOWN = 4

export function createSessions({ secure, locales }: { secure: boolean; locales: OfferedLocales }): Sessions {
  const name = secure ? '__Host-gateway-captive' : 'gateway-captive'
  return {
    read(request) {
      const signed = request.cookies[name]
      const opened = signed === undefined ? undefined : request.unsignCookie(signed)
      return opened?.valid ? parseSession(opened.value, locales) : NOTHING
    },
    write(reply, { locale, shown }) {
      const kept = shown
        .slice(-MAXIMUM_SHOWN)
        .map((one) => [one.reference, one.locale, one.documentSha256, one.policyVersion])
      const value = Buffer.from(JSON.stringify([locale ?? null, kept])).toString('base64url')
      reply.setCookie(name, value, { signed: true, path: '/', httpOnly: true, sameSite: 'lax', secure })
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
