// Checks of a native editor for the catalogues, and that every message is used on some page.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { VerdictClaims } from '../../../../src/contract/verdict.ts'
import { certificatePage } from '../../../../src/portal/certificate/page.ts'
import { outcomeDetail, outcomePage } from '../../../../src/portal/outcome/page.ts'
import type { Visit } from '../../../../src/portal/page/frame.ts'
import { frameNotice } from '../../../../src/portal/page/frame-notice.ts'
import { type Html, html } from '../../../../src/portal/page/html.ts'
import { catalogue } from '../../../../src/portal/page/i18n/catalogue.ts'
import { en, type Messages } from '../../../../src/portal/page/i18n/en.ts'
import { outcomeNames, sampleOutcome } from '../../../../src/portal/preview/page-states.ts'
import { privacyPage } from '../../../../src/portal/privacy/page.ts'
import { aupPage } from '../../../../src/portal/verdict/aup.ts'
import { blockedPage } from '../../../../src/portal/verdict/blocked.ts'
import { builtInPolicy } from '../../../../src/portal/verdict/policy-document.ts'
import { warnedPage } from '../../../../src/portal/verdict/warned.ts'
import { LOCALES, type Locale } from '../../../../src/settings/sections/locales.ts'
import { ACK_TOKEN } from '../../../support/payloads.ts'
import { certificateProps, shownCertificate } from '../../certificate/props.ts'
import { verdictView } from '../../verdict/verdict-view.ts'

/** Texts that another language legitimately shares with English, with the values of `valuesFor`. */
const SHARED_WORDS = new Set(['PIN', 'Passphrase', 'Details', '70: 71'])
const LONGEST_BUTTON_CHARACTERS = 32

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

/** Fails if any message of the language matches. */
function assertNone(locale: Locale, fault: RegExp): void {
  const faulty = [...messages[locale]].filter(([, message]) => fault.test(textOf(message)))
  assert.deepEqual(
    faulty.map(([path, message]) => `${locale} ${path}: ${textOf(message)}`),
    [],
  )
}

for (const locale of LOCALES) {
  test(`${locale}: has every message, none of them empty`, () => {
    assert.deepEqual([...messages[locale].keys()], [...messages.en.keys()])
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

  test(`${locale}: each message contains its values`, () => {
    for (const [path, message] of messages[locale]) {
      if (typeof message === 'string') continue
      for (const value of valuesFor(message)) assert.ok(textOf(message).includes(String(value)), path)
    }
  })

  test(`${locale}: has the same placeholders`, () => {
    for (const [path, message] of messages[locale]) {
      const placeholders = (text: string) => text.match(/\{\w*\}/g) ?? []
      assert.deepEqual(placeholders(textOf(message)), placeholders(textOf(messages.en.get(path) as Message)), path)
    }
  })

  test(`${locale}: buttons stay short`, () => {
    const { topbar, warn, aup, override, outcome, details, report } = catalogue[locale]
    const buttons = [topbar.dark, report, warn.proceed, aup.accept, details.copy, outcome.reopen]
    for (const label of [...buttons, override.show, override.unlock, override.continueToPage]) {
      assert.ok(label.length <= LONGEST_BUTTON_CHARACTERS, label)
    }
  })
}

test('no message is left in English', () => {
  const met = new Set<string>()
  for (const locale of LOCALES.filter((other) => other !== 'en')) {
    for (const [path, message] of messages[locale]) {
      const text = textOf(message)
      if (text !== textOf(messages.en.get(path) as Message)) continue
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
})

test('the address is formal, except in labels of Chrome', () => {
  assertNone('fr', /(?<!\p{L})(?:tu|te|toi|t’\p{L}+|ton|ta|tes)(?!\p{L})/iu)
  assertNone(
    'de',
    /(?<!\p{L})(?:du|dich|dir(?! installiert)|dein\p{L}*|ihr (?:könnt|habt|seid)|euch|euer|eure\p{L}*)(?!\p{L})/iu,
  )
  assertNone('it', /(?<!\p{L})(?:tu|ti|(?<!Installati da )te|tuo|tua|tuoi|tue|puoi|vuoi|hai)(?!\p{L})/iu)
})

test('the privacy notice names the operator as the one who runs the gateway', () => {
  const sentences = {
    en: 'by contacting [name], the operator of this gateway',
    fr: 'en contactant [name], exploitant de cette passerelle',
    de: 'an [name] als Betreiber dieses Gateways',
    it: 'contattando [name], che gestisce questo gateway',
  }
  for (const locale of LOCALES) {
    const { heading, text } = catalogue[locale].privacy.contact
    assert.match(heading, /^5\. /)
    assert.ok(String(text(html`[name]`)).includes(sentences[locale]), locale)
  }
})

test('every message is shown by some page', () => {
  const { recorder, read } = recordReads(en)
  renderEverything(recorder)
  const unread = [...messages.en.keys()].filter((path) => !read.has(path))
  assert.deepEqual(unread, [])
})

test('every outcome is used by some route', () => {
  const root = new URL('../../../../src/portal/', import.meta.url)
  const files = globSync(['app.ts', '{acknowledgement,certificate,outcome,verdict}/*.ts'], { cwd: root })
  const routes = files.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n')
  const unreached = outcomeNames.filter(
    (name) => !new RegExp(`(name: |refuse\\(exchange, '.*', |return |\\? |: )'${name}'`).test(routes),
  )
  assert.deepEqual(unreached, [])
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

/** Renders every page in every state with different texts. */
function renderEverything(t: Messages): void {
  const nothing = html``
  const visit: Visit = {
    site: {
      product: 'Portal',
      operator: undefined,
      version: '2026.1.0',
      versionLabel: '2026.1.0',
      supportLink: {
        scheme: 'https',
        href: 'https://help.example/',
        address: 'https://help.example/',
        unsetFields: [],
      },
      supportText: 'Room 12',
      logo: undefined,
      isPreview: true,
      locales: LOCALES,
      defaultLocale: 'en',
      timeZone: 'UTC',
      verdictFace: false,
      style: nothing,
      certificateStyle: nothing,
      scripts: {
        chosenTheme: nothing,
        page: nothing,
        proceed: nothing,
        warning: nothing,
        pin: nothing,
        passphrase: nothing,
        lockedOut: nothing,
        certificate: nothing,
      },
      darkStyle: nothing,
    },
    locale: 'en',
    t,
    year: 2026,
    hasCertificatePage: true,
  }
  const states: readonly Partial<VerdictClaims>[] = [
    { shortened: true },
    { rule_description: '' },
    { ack_token: ACK_TOKEN },
    { ack_token: ACK_TOKEN, shortened: true, override: { type: 'pin' } },
    { ack_token: ACK_TOKEN, override: { type: 'passphrase' } },
  ]
  const policy = builtInPolicy(t.aup)
  for (const state of states) {
    if (state.ack_token === undefined) blockedPage(visit, verdictView(visit, state))
    warnedPage(visit, verdictView(visit, { ...state, kind: 'warn' }))
    for (const isLong of [false, true])
      aupPage(visit, { ...verdictView(visit, { ...state, kind: 'aup' }), policy, isLong })
  }
  for (const name of outcomeNames) outcomePage(visit, sampleOutcome(name))
  for (const changes of [
    { isSheet: true, isPlainHttp: true, next: shownCertificate(1) },
    { next: shownCertificate(-1), system: 'macos' as const },
  ]) {
    certificatePage(visit, { ...certificateProps, ...changes })
  }
  for (const attemptsRemaining of [1, 2]) outcomeDetail(visit, { name: 'codeRejected', attemptsRemaining })
  for (const keeps of [true, false])
    privacyPage(visit, { recordsClientAddress: keeps, logsDestination: keeps, isLanguageInAddress: false })
  for (const allowed of [true, false]) {
    for (const hosts of [true, false]) {
      const engineLog = { allowed, hosts }
      privacyPage(visit, { recordsClientAddress: true, logsDestination: true, engineLog, isLanguageInAddress: false })
    }
  }
  frameNotice(visit, nothing)
}
