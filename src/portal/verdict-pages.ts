// The verdict pages, ready to be filled: one template for each kind, language and set of parts that a verdict has.
import type { Locale } from '../config/locales.ts'
import type { Destination } from '../contract/destination.ts'
import type { VerdictQuery } from '../contract/query.ts'
import type { Verdict } from '../contract/verdict.ts'
import type { Html } from './html/html.ts'
import { compileTemplate, type Fill } from './html/template.ts'
import { formatTime } from './i18n/format.ts'
import { aupPage } from './pages/aup.ts'
import { blockedPage } from './pages/blocked.ts'
import type { Visit } from './pages/frame.ts'
import type { VerdictProps } from './pages/verdict-parts.ts'
import { warnedPage } from './pages/warned.ts'
import type { PolicyDocuments } from './policy-document.ts'

/** The page of a verdict, as UTF-8. */
export type RenderVerdict = (visit: Visit, verdict: Verdict, query: VerdictQuery) => Buffer

export function createVerdictPages(documents: PolicyDocuments): RenderVerdict {
  const templates = new Map<string, Fill>()
  return (visit, verdict, query) => {
    const key = templateKey(visit, verdict)
    let fill = templates.get(key)
    if (fill === undefined) {
      fill = compileTemplate(SLOTS, (marks) => renderVerdict(visit, markedProps(verdict, marks), documents))
      templates.set(key, fill)
    }
    return fill(slotValues(verdict, query, visit.locale))
  }
}

type Marks = [string, string, string, string, string, string, string, string, string, string, string, string]
const SLOTS = 12

/** What differs from visitor to visitor, in the order in which `markedProps` takes the marks. */
function slotValues({ destination, ...verdict }: Verdict, query: VerdictQuery, locale: Locale): readonly string[] {
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
    query.text,
    new Date(verdict.issuedAt * 1000).toISOString(),
    formatTime(verdict.issuedAt, locale),
  ]
}

/** Everything that a page function decides by; values that only stand in the page are not part of it. */
function templateKey({ locale, year }: Visit, verdict: Verdict): string {
  const { kind, ackToken, override, category, ruleDescription, shortened } = verdict
  const code = override && [override.type, override.type === 'pin' && override.length, Boolean(override.prompt)]
  return [
    locale,
    year,
    kind,
    ackToken !== undefined,
    code,
    category !== undefined,
    ruleDescription !== '',
    shortened,
  ].join()
}

function renderVerdict(visit: Visit, props: VerdictProps, documents: PolicyDocuments): Html {
  if (props.verdict.kind === 'block') return blockedPage(visit, props)
  if (props.verdict.kind === 'warn') return warnedPage(visit, props)
  return aupPage(visit, { ...props, policy: documents[visit.locale].markup })
}

/** A verdict of the same parts with none of its values: what is rendered once must hold nothing of one visitor. */
function markedProps(
  { kind, shortened, ackToken, override, category: givenCategory, ruleDescription }: Verdict,
  marks: readonly string[],
): VerdictProps {
  const [scheme, host, rest, href, rule, description, category, reference, prompt, query, iso, text] =
    marks as unknown as Marks
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
    query: { p: '', ts: 0, text: query },
    time: { iso, text },
  }
}
