// The catalogues by locale. Only those of supported languages are loaded: each has 20 to 30 KB.

import { type Html, html } from '../../../html/html.ts'
import type { Locale } from '../../../settings/sections/locales.ts'
import type { Messages } from './en.ts'

/** Of the supported languages only; nothing asks for another. */
export type Catalogues = Readonly<Record<Locale, Messages>>

const LOADERS: Readonly<Record<Locale, () => Promise<Messages>>> = {
  en: async () => (await import('./en.ts')).en,
  fr: async () => (await import('./fr.ts')).fr,
  de: async () => (await import('./de.ts')).de,
  it: async () => (await import('./it.ts')).it,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt,
  nl: async () => (await import('./nl.ts')).nl,
  pl: async () => (await import('./pl.ts')).pl,
  ar: async () => (await import('./ar.ts')).ar,
}

export async function loadCatalogues(locales: readonly Locale[]): Promise<Catalogues> {
  const loading = locales.map(async (locale) => [locale, await LOADERS[locale]()] as const)
  return Object.fromEntries(await Promise.all(loading)) as Catalogues
}

/** Each language's name in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  fr: 'Français',
  de: 'Deutsch',
  it: 'Italiano',
  es: 'Español',
  pt: 'Português',
  nl: 'Nederlands',
  pl: 'Polski',
  ar: 'العربية',
}

/**
 * The attributes `lang` and, where the direction changes, `dir`.
 * @param around the language of the markup around it; none around a page
 */
export function languageAttributes(locale: Locale, around?: Locale): Html {
  const changes = isRightToLeft(locale) !== (around !== undefined && isRightToLeft(around))
  return html` lang="${locale}"${changes && html` dir="${isRightToLeft(locale) ? 'rtl' : 'ltr'}"`}`
}

export function isRightToLeft(locale: Locale): boolean {
  return locale === 'ar'
}
