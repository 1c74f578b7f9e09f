// Times and durations in the visitor's language.
import type { Locale } from '../../config/locales.ts'

const times = new Map<Locale, Intl.DateTimeFormat>()
/** Verdicts come many in a second, and for as long as the replay window is open: their texts are kept. */
const texts = new Map<string, string>()
const KEPT_TEXTS = 2000

/** A moment (Unix seconds) with its zone, which is UTC: the portal does not know the visitor's. */
export function formatTime(seconds: number, locale: Locale): string {
  const key = `${locale}${seconds}`
  const kept = texts.get(key)
  if (kept !== undefined) return kept
  let format = times.get(locale)
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
      dateStyle: 'long',
      timeStyle: 'medium',
      timeZone: 'UTC',
    })
    times.set(locale, format)
  }
  const text = `${format.format(seconds * 1000)} UTC`
  if (texts.size >= KEPT_TEXTS) texts.clear()
  texts.set(key, text)
  return text
}

/** A duration in the two largest units that say something: `14 minutes and 3 seconds`. */
export function formatDuration(duration: number, locale: Locale): string {
  const seconds = Math.max(1, duration)
  const parts = [
    ['hour', Math.floor(seconds / 3600)],
    ['minute', Math.floor((seconds % 3600) / 60)],
    ['second', seconds % 60],
  ] as const
  const spoken = parts
    .filter(([, amount]) => amount > 0)
    .slice(0, 2)
    .map(([unit, amount]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount))
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(spoken)
}
