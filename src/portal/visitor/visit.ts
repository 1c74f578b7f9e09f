// Resolves a request to a visit (language and session), and reads its purpose from Fetch Metadata.
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Site, Visit } from '../page/frame.ts'
import { createNegotiation, type OfferedLocales } from '../page/i18n/negotiate.ts'
import type { Session, Sessions } from './session.ts'

export interface VisitWithSession extends Visit {
  readonly session: Session
}

/** `locale` overrides session and browser. */
export type ResolveVisit = (exchange: Exchange, locale?: Locale) => VisitWithSession

export interface VisitDependencies {
  readonly site: Site
  readonly sessions: Sessions
  readonly locales: OfferedLocales
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly publishedCa: CurrentCa
}

export function createVisitResolver({ site, sessions, locales, clock, publishedCa }: VisitDependencies): ResolveVisit {
  const negotiate = createNegotiation(locales)
  return (exchange, wanted) => {
    const session = sessions.read(exchange)
    const locale = wanted ?? session.locale ?? negotiate(exchange.headers['accept-language'])
    return {
      site,
      session,
      locale,
      t: site.catalogues[locale],
      year: new Date(clock()).getUTCFullYear(),
      hasCertificatePage: publishedCa() !== undefined,
    }
  }
}

/** The request's purpose by Fetch Metadata (protocol v1, section 1). */
export type Purpose = 'document' | 'frame' | 'fetch' | 'subresource'

const PREFETCH = /prefetch|prerender/i
const FRAMES = new Set(['iframe', 'frame', 'embed', 'object'])

export function requestPurpose({ headers }: Exchange): Purpose {
  const destination = headers['sec-fetch-dest']
  if (destination === undefined || destination === 'document') return 'document'
  if (destination === 'empty') return 'fetch'
  return FRAMES.has(destination) ? 'frame' : 'subresource'
}

/** Whether the browser requests this before the visitor does. */
export function isPrefetch({ headers }: Exchange): boolean {
  return [headers['sec-purpose'], headers.purpose].some((value) => value !== undefined && PREFETCH.test(value))
}
