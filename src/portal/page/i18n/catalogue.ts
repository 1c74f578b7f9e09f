// The catalogues by locale.
import type { Locale } from '../../../settings/sections/locales.ts'
import { de } from './de.ts'
import { en, type Messages } from './en.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'

export const catalogue: Readonly<Record<Locale, Messages>> = { en, fr, de, it }

/** Each language's name in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  fr: 'Français',
  de: 'Deutsch',
  it: 'Italiano',
}
