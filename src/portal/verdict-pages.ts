// The verdict pages, ready to be filled: one template for each kind, language and set of parts that a verdict has.
import type { Destination } from '../contract/destination.ts'
import type { VerdictQuery } from '../contract/query.ts'
import type { OverrideCode, Verdict } from '../contract/verdict.ts'
import type { Html } from './html/html.ts'
import { compileTemplate, type Fill } from './html/template.ts'
import { formatTime } from './i18n/format.ts'
import { aupPage } from './pages/aup.ts'
import { blockedPage } from './pages/blocked.ts'
import type { Visit } from './pages/frame.ts'
import type { VerdictProps } from './pages/verdict-parts.ts'
import { warnedPage } from './pages/warned.ts'
import type { PolicyDocuments } from './policy-document.ts'

type Slot =
  | ('scheme' | 'host' | 'rest' | 'href')
  | ('rule' | 'description' | 'category' | 'reference' | 'prompt')
  | ('isoTime' | 'time' | 'query')

/** The page of a verdict, as UTF-8. */
export type RenderVerdict = (visit: Visit, verdict: Verdict, query: VerdictQuery) => Buffer

export function createVerdictPages(documents: PolicyDocuments): RenderVerdict {
  const templates = new Map<string, Fill<Slot>>()
  return (visit, verdict, query) => {
    const key = templateKey(visit, verdict)
    let fill = templates.get(key)
    if (fill === undefined) {
      fill = compileTemplate((mark) => renderVerdict(visit, markedProps(verdict, mark), documents))
      templates.set(key, fill)
    }
    const { destination } = verdict
    return fill({
      scheme: destination.scheme,
      host: destination.host,
      rest: destination.rest,
      href: destination.href,
      rule: verdict.ruleName,
      description: verdict.ruleDescription,
      category: verdict.category ?? '',
      reference: verdict.reference,
      prompt: verdict.override?.prompt ?? '',
      isoTime: new Date(verdict.issuedAt * 1000).toISOString(),
      time: formatTime(verdict.issuedAt, visit.locale),
      query: query.text,
    })
  }
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
function markedProps(verdict: Verdict, mark: (slot: Slot) => string): VerdictProps {
  const destination = { scheme: mark('scheme'), host: mark('host'), rest: mark('rest'), href: mark('href') }
  const override: OverrideCode | undefined = verdict.override && {
    ...verdict.override,
    prompt: verdict.override.prompt && mark('prompt'),
  }
  return {
    verdict: {
      kind: verdict.kind,
      shortened: verdict.shortened,
      issuedAt: 0,
      ackToken: verdict.ackToken && 'present',
      destination: destination as unknown as Destination,
      ruleName: mark('rule'),
      ruleDescription: verdict.ruleDescription && mark('description'),
      category: verdict.category === undefined ? undefined : mark('category'),
      reference: mark('reference'),
      override,
    },
    query: { p: '', ts: 0, text: mark('query') },
    time: { iso: mark('isoTime'), text: mark('time') },
  }
}
