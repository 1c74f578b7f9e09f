// Language negotiation: the browser's preferred language among those offered, else the operator's default.
import type { Locale } from '../../../settings/sections/locales.ts'

/** The locales that the operator offers, and the default. */
export interface OfferedLocales {
  readonly default: Locale
  readonly supported: readonly Locale[]
}

// Real browsers send well under 200 characters; longer headers are ignored.
const MAXIMUM_HEADER_CHARACTERS = 1000
const MAXIMUM_CACHED_HEADERS = 500
const MAXIMUM_CACHED_CHARACTERS = 100
const RANGE = /^\s*([A-Za-z]{1,8}|\*)(?:-[A-Za-z0-9-]{1,64})?\s*(?:;\s*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/

/** The offered locale that an Accept-Language header (RFC 9110, section 12.5.4) prefers. */
export function negotiateLocale(header: string | undefined, offered: OfferedLocales): Locale {
  if (header === undefined || header.length > MAXIMUM_HEADER_CHARACTERS) return offered.default
  const qualities = new Map<Locale | '*', number>()
  for (const item of header.split(',')) {
    const [, name, quality] = RANGE.exec(item) ?? []
    const range = name === '*' ? name : parseLocale(name, offered)
    if (range !== undefined) qualities.set(range, Math.max(qualities.get(range) ?? 0, Number(quality ?? 1)))
  }
  const unnamed = [offered.default, ...offered.supported].find((locale) => !qualities.has(locale))
  let best = offered.default
  let bestQuality = 0
  for (const [range, quality] of qualities) {
    const locale = range === '*' ? unnamed : range
    if (locale === undefined || quality <= bestQuality) continue
    best = locale
    bestQuality = quality
  }
  return best
}

/**
 * Negotiates with a cache by header: browsers at one site send few different ones. The cache is bounded, because clients can send
 * any header.
 */
export function createNegotiation(offered: OfferedLocales): (header: string | undefined) => Locale {
  const cache = new Map<string, Locale>()
  return (header) => {
    const cached = cache.get(header ?? '')
    if (cached !== undefined) return cached
    const locale = negotiateLocale(header, offered)
    if (cache.size >= MAXIMUM_CACHED_HEADERS) cache.clear()
    if (header === undefined || header.length <= MAXIMUM_CACHED_CHARACTERS) cache.set(header ?? '', locale)
    return locale
  }
}

/** The offered locale of that name, in any case; undefined when it is not offered. */
export function parseLocale(name: unknown, offered: OfferedLocales): Locale | undefined {
  if (typeof name !== 'string' || name.length > 8) return undefined
  const lowered = name.toLowerCase()
  return offered.supported.find((locale) => locale === lowered)
}
