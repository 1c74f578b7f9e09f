// The catalogues by language.
import { de } from './de.ts'
import { en, type Texts } from './en.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'

export const LANGUAGES = ['en', 'fr', 'de', 'it'] as const
export type Language = (typeof LANGUAGES)[number]

export const CATALOGUES: Readonly<Record<Language, Texts>> = { en, fr, de, it }
