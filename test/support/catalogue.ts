// The catalogues of all languages, and the languages of a portal in the tests.
import { loadCatalogues } from '../../src/portal/page/i18n/catalogue.ts'
import { LOCALES, type Locale } from '../../src/settings/sections/locales.ts'

/** What a portal renders unless it is configured. */
export const DEFAULT_LOCALES: readonly Locale[] = ['en', 'fr', 'de', 'it']

export const catalogue = await loadCatalogues(LOCALES)
