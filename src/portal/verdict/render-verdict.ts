// The page cache: renders verdict pages once per variant, and fills them in per visitor.
import type { Verdict } from '../../contract/verdict.ts'
import type { VerdictQuery } from '../../contract/verdict-url.ts'
import type { Html } from '../../html/html.ts'
import type { Body } from '../page/body.ts'
import type { Site, Visit } from '../page/frame.ts'
import { compileTemplate, type Fill } from '../page/template.ts'
import { aupPage } from './aup.ts'
import { blockedPage } from './blocked.ts'
import type { PolicyDocuments } from './policy-document.ts'
import {
  VERDICT_TEXTS,
  type VerdictTextName,
  type VerdictVariant,
  type VerdictView,
  variantOf,
  verdictTexts,
} from './view.ts'
import { warnedPage } from './warned.ts'

export type RenderVerdict = (visit: Visit, verdict: Verdict, query: VerdictQuery) => Body

export function createVerdictPages(site: Site, documents: PolicyDocuments): RenderVerdict {
  // Bounded by the possible variants, about ten thousand of 10 KB: only the engine can make new ones, and rules are few.
  const cache = new Map<string, Fill<VerdictTextName>>()
  let cachedYear: number | undefined
  return (visit, verdict, query) => {
    const variant = variantOf(visit, verdict)
    if (variant.year !== cachedYear) {
      cache.clear()
      cachedYear = variant.year
    }
    const fill = cache.getOrInsertComputed(JSON.stringify(variant), () =>
      compileTemplate(VERDICT_TEXTS, (text) => pageOf(site, { variant, text }, documents)),
    )
    return fill(verdictTexts(verdict, query, visit))
  }
}

function pageOf(site: Site, view: VerdictView, documents: PolicyDocuments): Html {
  const { kind, locale } = view.variant
  const visit = visitOf(site, view.variant)
  if (kind === 'block') return blockedPage(visit, view)
  if (kind === 'warn') return warnedPage(visit, view)
  const { markup, isLong } = documents[locale]
  return aupPage(visit, { ...view, policy: markup, isLong })
}

/** Built from the variant, so that it contains only what is part of the cache key. */
function visitOf(site: Site, { locale, year, hasCertificatePage }: VerdictVariant): Visit {
  return { site, locale, t: site.catalogues[locale], year, hasCertificatePage }
}
