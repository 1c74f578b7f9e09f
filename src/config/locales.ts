// The languages that the pages exist in, and which of them this portal renders.
import * as z from 'zod'
import { section } from './section.ts'
import { oneOf, parsed } from './shapes.ts'

export const LOCALES = ['en', 'fr', 'de', 'it'] as const
export type Locale = (typeof LOCALES)[number]

const locale = oneOf(LOCALES)
const distinct = z.array(locale).refine((tags) => new Set(tags).size === tags.length)

interface LocaleSettings {
  readonly locales: { readonly default: Locale; readonly supported: readonly Locale[] }
}

export const locales = section(
  'Languages',
  {
    GATEWAY_CAPTIVE_LOCALE: {
      purpose:
        "Locale for a visitor who prefers none of the supported ones, and the language of the operator's policy; one of `GATEWAY_CAPTIVE_SUPPORTED_LOCALES`.",
      shape: locale,
      default: 'en',
    },
    GATEWAY_CAPTIVE_SUPPORTED_LOCALES: {
      purpose: 'Locales that the portal renders.',
      shape: parsed(
        `locales of ${LOCALES.join(', ')}, separated by commas, each at most once`,
        (text) => distinct.safeParse(text.split(',').map((tag) => tag.trim())).data,
      ),
      default: LOCALES.join(','),
    },
  },
  (values, reading): LocaleSettings => {
    const supported = values.GATEWAY_CAPTIVE_SUPPORTED_LOCALES
    if (!supported.includes(values.GATEWAY_CAPTIVE_LOCALE)) {
      const rule = `must be one of GATEWAY_CAPTIVE_SUPPORTED_LOCALES (${supported.join(', ')})`
      reading.problem('GATEWAY_CAPTIVE_LOCALE', rule)
    }
    return { locales: { default: values.GATEWAY_CAPTIVE_LOCALE, supported } }
  },
)
