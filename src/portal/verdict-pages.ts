// The verdict pages, ready to be filled: one template for each kind, language and set of parts that a verdict has.
import { LOCALES, type Locale } from '../config/locales.ts'
import type { Destination } from '../contract/destination.ts'
import { type VerdictQuery, verdictQueryText } from '../contract/query.ts'
import type { Verdict, VerdictKind } from '../contract/verdict.ts'
import type { ByteString } from './html/byte-string.ts'
import type { Html } from './html/html.ts'
import { compileTemplate, type Fill, type Slot } from './html/template.ts'
import { formatTime } from './i18n/format.ts'
import { aupPage } from './pages/aup.ts'
import { blockedPage } from './pages/blocked.ts'
import type { Visit } from './pages/frame.ts'
import type { VerdictProps } from './pages/verdict-parts.ts'
import { warnedPage } from './pages/warned.ts'
import type { PolicyDocuments } from './policy-document.ts'

export type RenderVerdict = (visit: Visit, verdict: Verdict, query: VerdictQuery) => ByteString

export function createVerdictPages(documents: PolicyDocuments): RenderVerdict {
  let yearOfTemplates: number | undefined
  const templates = new Map<Locale, Map<number, Fill>>()
  return (visit, verdict, query) => {
    const { locale, year } = visit
    if (year !== yearOfTemplates) {
      for (const one of LOCALES) templates.set(one, new Map())
      yearOfTemplates = year
    }
    const ofLocale = templates.get(locale) as Map<number, Fill>
    const parts = partsOf(verdict) | (visit.hasCertificatePage ? CERTIFICATE_PAGE : 0)
    let fill = ofLocale.get(parts)
    if (fill === undefined) {
      fill = compileTemplate(SLOTS, (marks) => renderVerdict(visit, markedProps(verdict, marks), documents))
      ofLocale.set(parts, fill)
    }
    return fill(slotValues(verdict, query, locale))
  }
}

type Marks = [string, string, string, string, string, string, string, string, string, string, string, string, string]
/** The checks of payload and query leave `p` and the like no other characters. */
const SLOTS: readonly Slot[] = [
  'plain',
  'text',
  'text',
  'text',
  'text',
  'text',
  'text',
  'plain',
  'text',
  'plain',
  'plain',
  'plain',
  'text',
]

/** What differs from visitor to visitor, in the order in which `markedProps` takes the marks. */
function slotValues(verdict: Verdict, { p, ts }: VerdictQuery, locale: Locale): Marks {
  const { destination } = verdict
  const time = formatTime(verdict.issuedAt, locale)
  return [
    destination.scheme,
    destination.host,
    destination.rest,
    destination.href,
    verdict.ruleName,
    verdict.ruleDescription,
    verdict.category ?? '',
    verdict.reference,
    verdict.override?.prompt ?? '',
    p,
    String(ts),
    time.iso,
    time.text,
  ]
}

/** Beyond the bits of `partsOf`. */
const CERTIFICATE_PAGE = 1 << 11
const KIND = { block: 0, warn: 1, aup: 2 } as const satisfies Record<VerdictKind, number>

/** Everything of a verdict that a page function decides by, in bits; values that only stand in the page are not in it. */
function partsOf({ kind, ackToken, override, category, ruleDescription, shortened }: Verdict): number {
  // A PIN has 4 to 12 digits.
  const code = override === undefined ? 0 : override.type === 'pin' ? override.length : 1
  return (
    KIND[kind] |
    (ackToken === undefined ? 0 : 1 << 2) |
    (override?.prompt ? 1 << 3 : 0) |
    (category === undefined ? 0 : 1 << 4) |
    (ruleDescription === '' ? 0 : 1 << 5) |
    (shortened ? 1 << 6 : 0) |
    (code << 7)
  )
}

function renderVerdict(visit: Visit, props: VerdictProps, documents: PolicyDocuments): Html {
  if (props.verdict.kind === 'block') return blockedPage(visit, props)
  if (props.verdict.kind === 'warn') return warnedPage(visit, props)
  const { markup, isLong } = documents[visit.locale]
  return aupPage(visit, { ...props, policy: markup, isLong })
}

/** A verdict of the same parts with none of its values: what is rendered once must hold nothing of one visitor. */
function markedProps(
  { kind, shortened, ackToken, override, category: givenCategory, ruleDescription }: Verdict,
  marks: readonly string[],
): VerdictProps {
  const [scheme, host, rest, href, rule, description, category, reference, prompt, p, ts, iso, text] = marks as Marks
  return {
    verdict: {
      kind,
      shortened,
      issuedAt: 0,
      ackToken: ackToken && 'present',
      destination: { scheme, host, rest, href } as unknown as Destination,
      ruleName: rule,
      ruleDescription: ruleDescription && description,
      category: givenCategory === undefined ? undefined : category,
      reference,
      override: override && { ...override, prompt: override.prompt && prompt },
    },
    query: { p, ts: 0, text: verdictQueryText(p, ts) },
    time: { iso, text },
  }
}
