// The privacy notice: what the portal processes with the current configuration, and what the operator adds.
import type { PolicyTexts } from '../../aup/policy-texts.ts'
import type { EngineLog } from '../../contract/engine-health.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { frame, operatorName, type Visit } from '../page/frame.ts'
import { type Html, html } from '../page/html.ts'
import type { Messages } from '../page/i18n/en.ts'
import { operatorText } from '../page/operator-text.ts'

export interface PrivacyProps {
  readonly recordsClientAddress: boolean
  readonly logsDestination: boolean
  /** What the engine logs of visitors; undefined while that is not known. */
  readonly engineLog?: EngineLog | undefined
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
  { recordsClientAddress, logsDestination, engineLog, additions, isLanguageInAddress }: PrivacyProps,
): Html {
  const { privacy } = visit.t
  return frame(visit, {
    title: privacy.title,
    inLanguage: (locale) => (isLanguageInAddress ? `/privacy?lang=${locale}` : `/locale?set=${locale}&page=privacy`),
    body: html`<h1>${privacy.title}</h1>
<p>${privacy.introduction}</p>
<h2>${privacy.purpose.heading}</h2>
<p>${privacy.purpose.text}</p>
<h2>${privacy.processed.heading}</h2>
<p>${privacy.processed.text}</p>
<h2>${privacy.recorded.heading}</h2>
<p>${logsDestination ? privacy.recorded.logWithDestination : privacy.recorded.log}</p>
<p>${privacy.recorded.acceptance} ${recordsClientAddress ? privacy.recorded.withAddress : privacy.recorded.withoutAddress}</p>
<p>${gatewayLog(privacy.recorded.gateway, engineLog)} ${privacy.recorded.elsewhere}</p>
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
