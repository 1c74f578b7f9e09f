// The languages that the pages exist in, which of them this portal renders, and in which time zone.
import * as z from 'zod'
import { section } from '../section.ts'
import { oneOf, parsed } from '../shapes.ts'

export const LOCALES = ['en', 'fr', 'de', 'it', 'es', 'pt', 'nl', 'pl', 'ar'] as const
export type Locale = (typeof LOCALES)[number]

const locale = oneOf(LOCALES)
const distinct = z.array(locale).refine((tags) => new Set(tags).size === tags.length)

export interface LocaleSettings {
  readonly locales: { readonly default: Locale; readonly supported: readonly Locale[] }
  /** A name that `Intl` supports. */
  readonly timeZone: string
}

export const locales = section(
  'Languages and time zone',
  {
    GATEWAY_CAPTIVE_LOCALE: {
      purpose:
        "Locale of the operator's policy and of the rules' descriptions, and of visitors who prefer no supported one.",
      shape: locale,
      default: 'en',
    },
    GATEWAY_CAPTIVE_SUPPORTED_LOCALES: {
      purpose: 'Locales that the portal renders.',
      shape: parsed(
        `locales of ${LOCALES.join(', ')}, separated by commas, each at most once`,
        (text) => distinct.safeParse(text.split(',').map((tag) => tag.trim())).data,
      ),
      default: 'en,fr,de,it',
    },
    GATEWAY_TIMEZONE: {
      purpose:
        "Time zone of pages without script (with script it is the browser's); in the engine of schedules, expiries and expectations, of today's counts and of the days of reports; in gatewayctl of dates and times without a zone, and of the ends that it prints. If it is unset, engine and gatewayctl use the machine's.",
      shape: parsed('the name of a time zone, such as Europe/Zurich', timeZoneOf),
      default: 'UTC',
    },
  },
  (values, reading): LocaleSettings => {
    const supported = values.GATEWAY_CAPTIVE_SUPPORTED_LOCALES
    if (!supported.includes(values.GATEWAY_CAPTIVE_LOCALE)) {
      const rule = `must be one of GATEWAY_CAPTIVE_SUPPORTED_LOCALES (${supported.join(', ')})`
      reading.problem('GATEWAY_CAPTIVE_LOCALE', rule)
    }
    return { locales: { default: values.GATEWAY_CAPTIVE_LOCALE, supported }, timeZone: values.GATEWAY_TIMEZONE }
  },
)

function timeZoneOf(name: string): string | undefined {
  // Intl would take 18 ms to load.
  if (name === 'UTC') return name
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
