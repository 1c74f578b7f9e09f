// Times and durations in the visitor's language.
import type { Locale } from '../../config/locales.ts'

const times = new Map<Locale, Intl.DateTimeFormat>()
/** Verdicts come many in a second: the last text of each language is kept. */
const lastTimes = new Map<Locale, { seconds: number; text: string }>()

/** A moment (Unix seconds) with its zone, which is UTC: the portal does not know the visitor's. */
export function formatTime(seconds: number, locale: Locale): string {
  let format = times.get(locale)
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
      dateStyle: 'long',
      timeStyle: 'medium',
      timeZone: 'UTC',
    })
    times.set(locale, format)
  }
  const last = lastTimes.get(locale)
  if (last?.seconds === seconds) return last.text
  const text = `${format.format(seconds * 1000)} UTC`
  lastTimes.set(locale, { seconds, text })
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
