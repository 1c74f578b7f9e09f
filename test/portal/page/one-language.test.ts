// No mixed languages: after removing the catalogue's texts, a page has no letters left.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { certificatePage } from '../../../src/portal/certificate/page.ts'
import { outcomePage } from '../../../src/portal/outcome/page.ts'
import { buildAssets } from '../../../src/portal/page/assets.ts'
import type { Visit } from '../../../src/portal/page/frame.ts'
import { frameNotice } from '../../../src/portal/page/frame-notice.ts'
import { type Html, html } from '../../../src/portal/page/html.ts'
import { catalogue, LANGUAGE_NAMES } from '../../../src/portal/page/i18n/catalogue.ts'
import {
  formatDate,
  formatDays,
  formatDuration,
  formatMonth,
  formatTime,
} from '../../../src/portal/page/i18n/format.ts'
import { buildSite } from '../../../src/portal/page/site.ts'
import { outcomeNames, sampleOutcome } from '../../../src/portal/preview/page-states.ts'
import { privacyPage } from '../../../src/portal/privacy/page.ts'
import { loadConfig } from '../../../src/portal/settings/config.ts'
import { aupPage } from '../../../src/portal/verdict/aup.ts'
import { blockedPage } from '../../../src/portal/verdict/blocked.ts'
import { policyDocuments } from '../../../src/portal/verdict/policy-document.ts'
import { warnedPage } from '../../../src/portal/verdict/warned.ts'
import { LOCALES, type Locale } from '../../../src/settings/sections/locales.ts'
import { ACK_TOKEN, SECRET } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { certificateProps, shownCertificate } from '../certificate/props.ts'
import { type Element, parsePage } from '../markup.ts'
import { verdictView, verdictWith } from '../verdict/verdict-view.ts'

const PRODUCT = 'Portal 1'
const { config } = loadConfig({
  GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
  GATEWAY_CAPTIVE_SECRET_KEY: `session-${SECRET}`,
  GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite:////nowhere/portal.db',
  GATEWAY_CAPTIVE_BRAND_PRODUCT: PRODUCT,
  GATEWAY_CAPTIVE_BRAND_COMPANY: '',
  GATEWAY_CAPTIVE_SUPPORT_URL: 'tel:+41441234567',
})
const assets = buildAssets('indigo')
const site = buildSite(config, assets, true)
const documents = policyDocuments()
const WAIT = 843

const ways: Readonly<Record<string, Partial<VerdictClaims>>> = {
  'no way to proceed': { rule_description: '', shortened: true },
  'a link': { ack_token: ACK_TOKEN },
  'a PIN': { ack_token: ACK_TOKEN, override: { type: 'pin' } },
  'a passphrase': { ack_token: ACK_TOKEN, override: { type: 'passphrase' }, shortened: true },
  'a prompt': { ack_token: ACK_TOKEN, override: { type: 'pin', prompt: 'Code vom Empfang' } },
}
function everyPage(visit: Visit): Record<string, Html> {
  const policy = documents[visit.locale].markup
  return {
    blocked: blockedPage(visit, verdictView(visit, {})),
    'blocked without a reason': blockedPage(visit, verdictView(visit, { rule_description: '' })),
    ...Object.fromEntries(
      Object.entries(ways).flatMap(([name, changes]) => [
        [`warned, ${name}`, warnedPage(visit, verdictView(visit, { kind: 'warn', ...changes }))],
        [`aup, ${name}`, aupPage(visit, { ...verdictView(visit, { kind: 'aup', ...changes }), policy })],
      ]),
    ),
    ...Object.fromEntries(
      outcomeNames.map((name) => [name, outcomePage(visit, { ...sampleOutcome(name), verdict: verdictWith() })]),
    ),
    privacy: privacyPage(visit, { recordsClientAddress: false, logsDestination: false, isLanguageInAddress: false }),
    'privacy, with everything kept': privacyPage(visit, {
      recordsClientAddress: true,
      logsDestination: true,
      isLanguageInAddress: false,
    }),
    certificate: certificatePage(visit, { ...certificateProps, system: 'ios' }),
    'certificate, over plain http, with the one to come': certificatePage(visit, {
      ...certificateProps,
      isPlainHttp: true,
      isSheet: true,
      next: shownCertificate(1),
    }),
    'the notice in a frame': frameNotice(visit, assets.noticeStyle),
  }
}

/** All texts of a catalogue, split at their parameters; longest first. */
function textsOf(locale: Locale): string[] {
  const GAP = '\u0001'
  const gather = (value: unknown): string[] => {
    if (typeof value === 'string') return [value]
    if (typeof value === 'function') {
      // Names are markup; times and numbers are plain values.
      const filled = value.length === 1 ? String(value(html`${GAP}`)) : String(value(GAP, GAP))
      return filled.split(GAP).map((text) => text.replaceAll('&#39;', "'").replaceAll('&quot;', '"'))
    }
    return Object.values(value as object).flatMap(gather)
  }
  const { notBefore, notAfter } = certificateProps.certificate
  const dates = [notBefore, notAfter, shownCertificate(1).notBefore, shownCertificate(1).notAfter]
  const ofCertificates = [
    ...dates.map((date) => formatDate(date, locale)),
    formatMonth('2026-11', locale),
    formatDays(19, locale),
    ...['SHA-256', 'SHA-1'],
  ]
  const fillers = [
    ...ofCertificates,
    formatTime(NOW, locale, 'UTC').text,
    formatDuration(Math.ceil(WAIT / 60), locale),
    LANGUAGE_NAMES[locale],
    PRODUCT,
  ]
  return [...gather(catalogue[locale]), ...fillers, config.release.label]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .sort((one, other) => other.length - one.length)
}

const SPOKEN_ATTRIBUTES = /^(aria-label|title|alt|placeholder|label|data-(?!type$|ack$|destination$|origin$).*)$/

/** All visible or spoken text, except elements with another `lang` and untrusted text. */
function spoken(element: Element): string[] {
  const { name, attributes, children } = element
  if (name === 'bdi' || name === 'style' || name === 'script') return []
  if (name !== 'html' && attributes.lang !== undefined) return []
  return [
    ...Object.entries(attributes).flatMap(([key, value]) => (SPOKEN_ATTRIBUTES.test(key) ? [value] : [])),
    ...children.flatMap((child) => (typeof child === 'string' ? [child] : spoken(child))),
  ]
}

/** The words that are in none of the texts. */
function foreignWords(page: Html, texts: readonly string[]): string[] {
  return spoken(parsePage(page.toString())).flatMap((text) => {
    let rest = text
    for (const known of texts) rest = rest.replaceAll(known, '')
    return /\p{L}/u.test(rest) ? [rest] : []
  })
}

describe('every word of every page is in its language', () => {
  for (const locale of LOCALES) {
    const texts = textsOf(locale)
    const visit = { site, locale, t: catalogue[locale], year: 2027, hasCertificatePage: true }
    for (const [name, page] of Object.entries(everyPage(visit))) {
      test(`${locale}: ${name}`, () => assert.deepEqual(foreignWords(page, texts), []))
    }
  }
})

test('a word in another language is detected', () => {
  const visit = { site, locale: 'en' as const, t: catalogue.en, year: 2027, hasCertificatePage: true }
  const mixed = { ...catalogue.en, footer: { ...catalogue.en.footer, privacy: 'Datenschutzhinweis' } }
  const page = privacyPage(
    { ...visit, t: mixed },
    { recordsClientAddress: false, logsDestination: false, isLanguageInAddress: false },
  )
  assert.deepEqual(foreignWords(page, textsOf('en')), ['Datenschutzhinweis'])
})
