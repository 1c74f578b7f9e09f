// The privacy notice: what the portal processes with the current configuration, and what the operator adds.
import type { PolicyTexts } from '../../aup/policy-texts.ts'
import type { EngineJournal, EngineLog, EngineRecords } from '../../contract/engine-health.ts'
import { type Html, html } from '../../html/html.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { frame, operatorName, type Visit } from '../page/frame.ts'
import type { Messages } from '../page/i18n/en.ts'
import { formatDays } from '../page/i18n/format.ts'
import { operatorText } from '../page/operator-text.ts'
import { SIGNS, signImage } from '../page/sign.ts'
import type { ProxyLog } from '../settings/records.ts'

export interface PrivacyProps {
  readonly recordsClientAddress: boolean
  readonly logsDestination: boolean
  /** What the engine records of visitors; undefined while that is not known. */
  readonly engine?: EngineRecords | undefined
  /** Whether the proxy logs all requests, as far as the portal can know. */
  readonly proxyLog: ProxyLog
  /** What the operator adds, by the page's language. */
  readonly additions?: PrivacyAdditions | undefined
  /** Whether the language is kept in the address instead of the session. */
  readonly isLanguageInAddress: boolean
}

/** Of the supported languages. */
type PrivacyAdditions = Readonly<Record<Locale, Html>>

export function privacyAdditions(texts: PolicyTexts): PrivacyAdditions {
  const locales = Object.keys(texts) as Locale[]
  return Object.fromEntries(
    locales.map((locale) => [locale, operatorText(texts[locale], locale, 2)]),
  ) as PrivacyAdditions
}

export function privacyPage(
  visit: Visit,
  { recordsClientAddress, logsDestination, engine, proxyLog, additions, isLanguageInAddress }: PrivacyProps,
): Html {
  const { privacy } = visit.t
  return frame(visit, {
    title: privacy.title,
    sign: SIGNS.information,
    inLanguage: (locale) => (isLanguageInAddress ? `/privacy?lang=${locale}` : `/locale?set=${locale}&page=privacy`),
    body: html`${signImage(SIGNS.information)}<h1>${privacy.title}</h1>
<p>${privacy.introduction}</p>
<h2>${privacy.purpose.heading}</h2>
<p>${privacy.purpose.text}</p>
<h2>${privacy.processed.heading}</h2>
<p>${privacy.processed.text}</p>
<h2>${privacy.recorded.heading}</h2>
<p>${logsDestination ? privacy.recorded.logWithDestination : privacy.recorded.log}</p>
<p>${privacy.recorded.acceptance} ${recordsClientAddress ? privacy.recorded.withAddress : privacy.recorded.withoutAddress}</p>
<p>${gatewayLog(privacy.recorded.gateway, engine?.log)}</p>
<p>${journalText(visit, engine?.journal)} ${privacy.recorded.session}${engine?.log && ` ${privacy.recorded.memory}`}</p>
<p>${privacy.recorded.elsewhere[proxyLog]}</p>
<h2>${privacy.device.heading}</h2>
<p>${privacy.device.text}</p>
<h2>${privacy.contact.heading}</h2>
<p>${privacy.contact.text(operatorName(visit))}</p>
${additions?.[visit.locale]}`,
  })
}

function gatewayLog(texts: Messages['privacy']['recorded']['gateway'], log: EngineLog | undefined): string {
  if (log === undefined) return texts.unknown
  if (log.allowed) return log.hosts ? texts.everyWithSite : texts.every
  return log.hosts ? texts.stoppedWithSite : texts.stopped
}

/** Nothing where there is no journal. */
function journalText({ t, locale }: Visit, journal: EngineJournal | undefined): string {
  const { recorded } = t.privacy
  if (journal === undefined) return recorded.journal.unknown
  const { days, personDays, hosts } = journal
  if (days === 0) return ''
  const kept = (hosts ? recorded.journal.withSite : recorded.journal.withoutSite)(formatDays(days, locale))
  if (personDays >= days) return kept
  const named = personDays === 0 ? recorded.journal.pseudonyms : recorded.journal.named(formatDays(personDays, locale))
  return `${kept} ${named}`
}
