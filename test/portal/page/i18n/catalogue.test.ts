// Checks of a native editor for the catalogues; every message is used on some page, and every page is in one language: without
// the catalogue's texts, it has no letters left.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseClaims, type VerdictClaims } from '../../../../src/contract/verdict.ts'
import { type Html, html } from '../../../../src/html/html.ts'
import {
  type CertificatePageProps,
  certificatePage,
  type ShownCertificate,
} from '../../../../src/portal/certificate/page.ts'
import { sheetPage } from '../../../../src/portal/certificate/sheet.ts'
import { markedMinutes, outcomeDetail, outcomePage } from '../../../../src/portal/outcome/page.ts'
import { buildAssets } from '../../../../src/portal/page/assets.ts'
import type { Visit } from '../../../../src/portal/page/frame.ts'
import { frameNotice } from '../../../../src/portal/page/frame-notice.ts'
import { LANGUAGE_NAMES } from '../../../../src/portal/page/i18n/catalogue.ts'
import { en, type Messages } from '../../../../src/portal/page/i18n/en.ts'
import {
  formatDate,
  formatDays,
  formatDuration,
  formatMonth,
  formatTime,
} from '../../../../src/portal/page/i18n/format.ts'
import { buildSite } from '../../../../src/portal/page/site.ts'
import { placeholders } from '../../../../src/portal/page/template.ts'
import { outcomeNames, sampleOutcome } from '../../../../src/portal/preview/page-states.ts'
import { type PrivacyProps, privacyPage } from '../../../../src/portal/privacy/page.ts'
import { loadConfig } from '../../../../src/portal/settings/config.ts'
import { aupPage } from '../../../../src/portal/verdict/aup.ts'
import { blockedPage } from '../../../../src/portal/verdict/blocked.ts'
import { builtInPolicy } from '../../../../src/portal/verdict/policy-document.ts'
import { VERDICT_TEXTS, type VerdictView, variantOf, verdictTexts } from '../../../../src/portal/verdict/view.ts'
import { warnedPage } from '../../../../src/portal/verdict/warned.ts'
import { LOCALES, type Locale } from '../../../../src/settings/sections/locales.ts'
import { catalogue } from '../../../support/catalogue.ts'
import { ACK_TOKEN, claims, SECRET } from '../../../support/payloads.ts'
import { NOW } from '../../../support/portal.ts'
import { type Element, parsePage } from '../../markup.ts'

/** Texts that another language legitimately shares with English, with the values of `valuesFor`. */
const SHARED_WORDS = new Set(['PIN', 'Passphrase', 'Details', '70: 71', 'Server', 'Port', 'Name'])

type Argument = Html | number
type Message = string | ((...values: readonly Argument[]) => Html | string)

/** Every message by its path, such as `outcome.lockedOut.advice`. */
function messagesOf(tree: object, path = ''): Map<string, Message> {
  const entries = Object.entries(tree).flatMap(([key, value]) => {
    const here = path === '' ? key : `${path}.${key}`
    return typeof value === 'object' ? [...messagesOf(value, here)] : [[here, value] as const]
  })
  return new Map(entries)
}

/** The values for a message with this many parameters. */
function valuesFor(message: (...values: readonly Argument[]) => unknown): readonly Argument[] {
  return message.length === 1 ? [html`[name]`] : Array.from({ length: message.length }, (_, index) => 70 + index)
}

function textOf(message: Message): string {
  return typeof message === 'string' ? message : String(message(...valuesFor(message)))
}

const messages = Object.fromEntries(LOCALES.map((locale) => [locale, messagesOf(catalogue[locale])])) as Record<
  Locale,
  ReturnType<typeof messagesOf>
>

/** Languages have different plural forms, and a form for one number may say it in words. */
const isNoPlural = (path: string) => !path.startsWith('override.attemptsLeft.')

/** Fails if any message of the language matches. */
function assertNone(locale: Locale, fault: RegExp): void {
  const faulty = [...messages[locale]].filter(([, message]) => fault.test(textOf(message)))
  assert.deepEqual(
    faulty.map(([path, message]) => `${locale} ${path}: ${textOf(message)}`),
    [],
  )
}

test('a count has the plural forms that its language distinguishes', () => {
  for (const locale of LOCALES) {
    const rules = new Intl.PluralRules(locale)
    const { pluralCategories } = rules.resolvedOptions()
    const forms = Object.keys(catalogue[locale].override.attemptsLeft)
    for (const count of [0, 1, 2, 3, 5, 11, 100]) assert.ok(forms.includes(rules.select(count)), `${locale} ${count}`)
    for (const form of forms) assert.ok(pluralCategories.includes(form as Intl.LDMLPluralRule), `${locale} ${form}`)
  }
})

for (const locale of LOCALES) {
  test(`${locale}: has every message, none of them empty`, () => {
    assert.deepEqual([...messages[locale].keys()].filter(isNoPlural), [...messages.en.keys()].filter(isNoPlural))
    assertNone(locale, /^\s*$/)
  })

  test(`${locale}: has typographic quotes, apostrophes and ellipses, no stray space, and never shouts`, () => {
    assertNone(locale, /["'`´!]|\.\.\.|\s-\s/)
    assertNone(locale, /^\s|\s$|\s{2}|[\t\n]|\s[.,)]|\(\s/)
    assertNone(locale, locale === 'de' ? /[^\u00a0]…/ : /\s…/)
    for (const [path, message] of messages[locale]) assert.equal(textOf(message), textOf(message).normalize(), path)
  })

  test(`${locale}: headings end without a full stop, sentences with one`, () => {
    for (const [path, message] of messages[locale]) {
      if (/\.(title|heading|policyHeading)$/.test(path)) assert.doesNotMatch(textOf(message), /[.:;]$/, path)
      if (/\.(text|advice|noReason|next|terminal)$|^aup\.(by|policy\.)|^privacy\.recorded\.(?!heading)/.test(path)) {
        assert.match(textOf(message), /\.$/, path)
      }
    }
  })

  test(`${locale}: each message contains its values, and has the same placeholders`, () => {
    const placeholders = (text: string) => text.match(/\{\w*\}/g) ?? []
    for (const [path, message] of messages[locale]) {
      if (isNoPlural(path)) {
        assert.deepEqual(placeholders(textOf(message)), placeholders(textOf(messages.en.get(path) as Message)), path)
      }
      if (typeof message === 'string') continue
      for (const value of valuesFor(message)) assert.ok(textOf(message).includes(String(value)), path)
    }
  })
}

test('no message is left in English', () => {
  const met = new Set<string>()
  for (const locale of LOCALES.filter((other) => other !== 'en')) {
    for (const [path, message] of messages[locale]) {
      const text = textOf(message)
      if (!isNoPlural(path) || text !== textOf(messages.en.get(path) as Message)) continue
      assert.ok(SHARED_WORDS.has(text), `${locale} ${path}: ${text}`)
      met.add(text)
    }
  }
  assert.deepEqual(met, SHARED_WORDS)
})

test('French has spaces before high punctuation, and no other language does', () => {
  assertNone('fr', /(?<!\u202f)[;!?]/)
  assertNone('fr', /(?<!\u00a0):/)
  for (const locale of LOCALES.filter((other) => other !== 'fr')) assertNone(locale, /\s[;:!?]|\u202f|\u00a0(?!…)/)
})

test('each language uses its own quotation marks', () => {
  assertNone('en', /[„«»]|“\s|\s”/)
  assertNone('fr', /[„“”]|«(?!\u00a0)|(?<!\u00a0)»/)
  assertNone('de', /[«»”]|“(?=\p{L})/u)
  assertNone('it', /[„“”]|«\s|\s»/)
  for (const locale of ['es', 'pt'] as const) assertNone(locale, /[„«»‘]|“\s|\s”/)
  assertNone('nl', /[„«»“”]|‘\s|\s’/)
  assertNone('pl', /[«»“‘]|„\s|\s”/)
  assertNone('ar', /[„“”‘’]|«\s|\s»/)
})

test('Spanish opens its questions, and Arabic has its own punctuation and Latin digits', () => {
  assertNone('es', /^[^¿]*\?/)
  assertNone('ar', /[,;?]|[\u0660-\u0669]/)
})

test('one o’clock is singular in Spanish and Portuguese', () => {
  const hoursOf = (locale: Locale) =>
    ['1:05', '01:05', '1:05 p. m.', '10:05', '13:05', '11:05'].map(
      (time) => `${catalogue[locale].opensAgain('…', time).match(/(\S+(?: las?)?) \d/)?.[1]}`,
    )
  assert.deepEqual(hoursOf('es'), ['a la', 'a la', 'a la', 'a las', 'a las', 'a las'])
  assert.deepEqual(hoursOf('pt'), ['à', 'à', 'à', 'às', 'às', 'às'])
  assert.deepEqual(new Set(hoursOf('it')), new Set(['ore']))
  // The script fills in the time.
  for (const locale of ['es', 'pt', 'it'] as const) {
    assert.match(catalogue[locale].outcome.lockedOut.at('#'), /(?:: | ore )#\.$/, locale)
  }
})

test('a German or Dutch time has its “Uhr” or “uur”', () => {
  for (const [locale, unit] of [
    ['de', 'Uhr'],
    ['nl', 'uur'],
  ] as const) {
    const { opensAgain, outcome } = catalogue[locale]
    for (const text of [opensAgain('…', '17:19'), outcome.lockedOut.at('17:19')]) {
      assert.ok(text.includes(`17:19 ${unit}`), text)
    }
  }
})

test('the operator has no gender in Arabic', () => {
  assertNone('ar', /بصفته/)
})

test('the address is formal, except in labels of Chrome', () => {
  assertNone('fr', /(?<!\p{L})(?:tu|te|toi|t’\p{L}+|ton|ta|tes)(?!\p{L})/iu)
  assertNone(
    'de',
    /(?<!\p{L})(?:du|dich|dir(?! installiert)|dein\p{L}*|ihr (?:könnt|habt|seid)|euch|euer|eure\p{L}*)(?!\p{L})/iu,
  )
  assertNone('es', /(?<!\p{L})(?:tú|te|tu|tus|(?<!Instalados por )ti|puedes|tienes|quieres)(?!\p{L})/iu)
  assertNone('pt', /(?<!\p{L})(?:tu|teu|tua|teus|tuas|(?<!Instalados por )você)(?!\p{L})/iu)
  assertNone('nl', /(?<!\p{L})(?:je|(?<!Door )jou|jouw|jij|jullie)(?!\p{L})/iu)
  assertNone('it', /(?<!\p{L})(?:tu|ti|(?<!Installati da )te|tuo|tua|tuoi|tue|puoi|vuoi|hai)(?!\p{L})/iu)
})

/** The same catalogue, which records the path of every message that is read. */
function recordReads(tree: Messages): { recorder: Messages; read: ReadonlySet<string> } {
  const read = new Set<string>()
  const record = <Branch extends object>(branch: Branch, path: string): Branch =>
    new Proxy(branch, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof key === 'symbol') return value
        const here = path === '' ? key : `${path}.${key}`
        if (typeof value === 'object' && value !== null) return record(value, here)
        read.add(here)
        return value
      },
    })
  return { recorder: record(tree, ''), read }
}

const PRODUCT = 'Portal 1'
const OPERATOR = { name: 'Northwind', url: undefined }
/** Seconds of the sample lockout. */
const WAIT = 843
const { config } = loadConfig({
  GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
  GATEWAY_CAPTIVE_SECRET_KEY: `session-${SECRET}`,
  GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite:////nowhere/portal.db',
  GATEWAY_CAPTIVE_BRAND_PRODUCT: PRODUCT,
  GATEWAY_CAPTIVE_BRAND_COMPANY: '',
  GATEWAY_CAPTIVE_SUPPORT_URL: 'tel:+41441234567',
})
const assets = buildAssets('indigo')
const site = buildSite(config, assets, catalogue, true)

function visitIn(locale: Locale): Visit {
  return { site, locale, t: catalogue[locale], year: 2027, hasCertificatePage: true }
}

function verdictWith(changes: Partial<VerdictClaims> = {}) {
  return parseClaims(claims(NOW, changes)).verdict ?? assert.fail()
}

/** Valid for twenty days from this day on, counted from today. */
function shownCertificate(firstDay: number): ShownCertificate {
  const [day, today] = [86_400_000, NOW * 1000]
  const file = (name: string) => ({ href: `/ca.${name}`, name: `gateway-ca-4af2986d.${name}` })
  return {
    name: 'Northwind CA',
    subject: 'CN=Northwind CA',
    sha256: Array(32).fill('4A').join(':'),
    sha1: Array(20).fill('4A').join(':'),
    notBefore: today + firstDay * day,
    notAfter: today + (firstDay + 20) * day,
    files: { crt: file('crt'), cer: file('cer'), mobileconfig: file('mobileconfig') },
  }
}

const ways: Readonly<Record<string, Partial<VerdictClaims>>> = {
  'no way to proceed': { rule_description: '', shortened: true },
  'a link': { ack_token: ACK_TOKEN },
  'a link, for a time': { ack_token: ACK_TOKEN, session_seconds: 3600 },
  'a PIN': { ack_token: ACK_TOKEN, override: { type: 'pin' }, shortened: true },
  'a passphrase': { ack_token: ACK_TOKEN, override: { type: 'passphrase' } },
  'a prompt': { ack_token: ACK_TOKEN, override: { type: 'pin', prompt: 'Code vom Empfang' } },
}

const PROXY = { host: 'proxy.example', port: 3128, pac: 'https://portal.example/proxy.pac' }

/** Every page in every state with different texts. */
function everyPage(visit: Visit): Record<string, Html> {
  const policy = builtInPolicy(visit.t.aup)
  const view = (changes: Partial<VerdictClaims>): VerdictView => {
    return { variant: variantOf(visit, verdictWith(changes)), text: placeholders(VERDICT_TEXTS) }
  }
  const certificate = (changes: Partial<CertificatePageProps>) =>
    certificatePage(visit, {
      certificate: shownCertificate(-1),
      next: undefined,
      proxy: undefined,
      now: NOW * 1000,
      system: undefined,
      isSheet: false,
      isPlainHttp: false,
      isLanguageInAddress: false,
      address: 'http://portal.example/ca',
      qrCode: html``,
      origin: 'https://portal.example',
      ...changes,
    })
  const privacy = (keeps: boolean, more: Partial<PrivacyProps> = {}) =>
    privacyPage(visit, {
      recordsClientAddress: keeps,
      logsDestination: keeps,
      isLanguageInAddress: false,
      proxyLog: 'unknown',
      ...more,
    })
  const sheet = {
    ...{ certificate: shownCertificate(-1), proxy: PROXY },
    ...{ address: 'http://portal.example/ca', qrCode: html`` },
  }
  const pages: Record<string, Html> = {
    blocked: blockedPage(visit, view({})),
    'blocked until then': blockedPage(visit, view({ opens_at: NOW + 3600 })),
    'blocked without a reason': blockedPage(visit, view({ rule_description: '', shortened: true })),
    privacy: privacy(false),
    'privacy, with everything kept': privacy(true),
    certificate: certificate({ system: 'ios' }),
    'certificate, expiring': certificate({ system: 'macos', next: shownCertificate(-1) }),
    'certificate, over plain http': certificate({ isPlainHttp: true, isSheet: true, next: shownCertificate(1) }),
    'certificate, with a proxy': certificate({ proxy: PROXY }),
    'certificate, with a proxy, for one system': certificate({ proxy: PROXY, system: 'windows' }),
    'the sheet': sheetPage(visit, sheet),
    'the sheet of an operator': sheetPage({ ...visit, site: { ...site, operator: OPERATOR } }, sheet),
    'the notice in a frame': frameNotice(visit, assets.noticeStyle),
  }
  for (const [way, changes] of Object.entries(ways)) {
    pages[`warned, ${way}`] = warnedPage(visit, view({ kind: 'warn', ...changes }))
    for (const isLong of [false, true]) {
      const props = { ...view({ kind: 'aup', ...changes }), policy, isLong }
      pages[`aup, ${way}${isLong ? ', long' : ''}`] = aupPage(visit, props)
    }
  }
  for (const name of outcomeNames) {
    pages[name] = outcomePage(visit, { ...sampleOutcome(name), verdict: verdictWith() })
  }
  for (const allowed of [true, false]) {
    for (const hosts of [true, false]) {
      for (const personDays of [0, 3, 14]) {
        pages[`privacy, ${allowed}, ${hosts}, ${personDays}`] = privacy(true, {
          engine: { log: { allowed, hosts }, journal: { days: 14, personDays, hosts } },
          proxyLog: hosts ? 'on' : 'off',
        })
      }
    }
  }
  return pages
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
  const dates = [-1, 1].map(shownCertificate).flatMap(({ notBefore, notAfter }) => [notBefore, notAfter])
  const fillers = [
    ...dates.map((date) => formatDate(date, locale)),
    formatMonth('2026-11', locale),
    ...[3, 14, 19].map((days) => formatDays(days, locale)),
    ...['SHA-256', 'SHA-1'],
    formatTime(NOW, locale, 'UTC').toMinute,
    locale.toUpperCase(),
    formatDuration(Math.ceil(WAIT / 60), locale),
    markedMinutes({ locale }),
    LANGUAGE_NAMES[locale],
    PRODUCT,
  ]
  return [...gather(catalogue[locale]), ...fillers, config.release.label]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .sort((one, other) => other.length - one.length)
}

const SPOKEN_ATTRIBUTES = /^(aria-label|title|alt|placeholder|label|data-(?!type$|ack$|destination$|origin$|href$).*)$/

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

test('every message is shown by some page', () => {
  const { recorder, read } = recordReads(en)
  const visit = { ...visitIn('en'), t: recorder }
  everyPage(visit)
  verdictTexts(verdictWith({ opens_at: NOW + 3600 }), { p: '', ts: NOW, text: '' }, visit)
  for (const attemptsRemaining of [1, 2]) outcomeDetail(visit, { name: 'codeRejected', attemptsRemaining })
  const unread = [...messages.en.keys()].filter((path) => !read.has(path))
  assert.deepEqual(unread, [])
})

for (const locale of LOCALES) {
  test(`${locale}: every word of every page is in its language`, () => {
    const texts = textsOf(locale)
    for (const [name, page] of Object.entries(everyPage(visitIn(locale)))) {
      assert.deepEqual(foreignWords(page, texts), [], name)
    }
  })
}

test('a word in another language is detected', () => {
  const t = { ...catalogue.en, footer: { ...catalogue.en.footer, privacy: 'Impressum' } }
  const { privacy } = everyPage({ ...visitIn('en'), t })
  assert.deepEqual(privacy && foreignWords(privacy, textsOf('en')), ['Impressum'])
})
