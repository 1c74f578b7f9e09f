// Stories of the portal's pages; each suite is one.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, test } from 'node:test'
import { parseMarkdown } from '../../src/aup/markdown.ts'
import { parseDestination } from '../../src/contract/destination.ts'
import { healthDocument } from '../../src/contract/engine-health.ts'
import { operatorPolicy } from '../../src/portal/page/operator-text.ts'
import { lastEngineRecords } from '../../src/portal/privacy/engine-records.ts'
import { loadPortalConfig } from '../../src/portal/settings/load.ts'
import { DAY, OVER_HTTP, startPublishing, YEAR } from '../portal/certificate/published-ca.ts'
import { exchange } from '../portal/exchange.ts'
import { type Element, elements, only, parsePage, textOf } from '../portal/markup.ts'
import { complete, load } from '../settings/load.ts'
import { catalogue, DEFAULT_LOCALES } from '../support/catalogue.ts'
import { makeCertificate } from '../support/certificates.ts'
import { listen } from '../support/listen.ts'
import { ACK_TOKEN, claims, keyring, verdictTarget } from '../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../support/portal.ts'
import { startPortalProcess } from '../support/portal-process.ts'
import { until } from '../support/until.ts'

const portal = await startPortal({ after })

// A rule's description that exists in English only was shown on a German page without a `lang`: screen readers read it as
// German, and browsers did not offer to translate it. Only the operator's policy was marked. Since the first version.
describe('a reason in another language was read as the page’s', async () => {
  const german = await startPortal({ after }, { env: { GATEWAY_CAPTIVE_LOCALE: 'de' } })

  /** The `lang` of the reason on the page of this language. */
  async function langOf(of: RunningPortal, language: string, descriptions?: Record<string, string>) {
    const more = descriptions === undefined ? {} : { rule_descriptions: descriptions }
    const target = verdictTarget(claims(NOW, { rule_description: 'A reason.', ...more }))
    const { body } = await exchange(of, target, { 'Accept-Language': language })
    const [reason] = elements(only(parsePage(body), 'class', 'reason'), 'bdi')
    return reason?.attributes.lang
  }

  test('one in the language of the operator is marked, with and without other languages', async () => {
    assert.equal(await langOf(portal, 'fr', { de: 'Ein Grund.' }), 'en')
    assert.equal(await langOf(portal, 'fr', { fr: '' }), 'en')
    assert.equal(await langOf(portal, 'fr'), 'en')
    assert.equal(await langOf(german, 'en'), 'de')
  })
  test('control: no `lang` where the page has it, or nobody knows it', async () => {
    assert.equal(await langOf(portal, 'en'), undefined)
    assert.equal(await langOf(german, 'de', { fr: 'Une raison.' }), undefined)
    assert.equal(await langOf(portal, 'de', { de: 'Ein Grund.' }), undefined)
    assert.equal(await langOf(portal, 'de', { 'de-CH': 'Ein Grund.' }), undefined)
    assert.equal(await langOf(portal, 'fr', { en: 'Another.' }), undefined)
  })
})

// Pages carried the version with its release type (2026.47.0-IR) in the `portal-version` meta tag, because tag and
// header shared one label since the first version. The specification requires the suffix only in the header.
describe('the meta tag carried the release type', () => {
  const { version } = portal.config.release
  async function versionsOf(from: RunningPortal, target: string, headers: Record<string, string> = {}) {
    const { headers: answered, body } = await exchange(from, target, headers)
    const metas = elements(parsePage(body), 'meta').filter(({ attributes }) => attributes.name === 'portal-version')
    return [answered.get('x-portal-version'), ...metas.map(({ attributes }) => attributes.content)]
  }

  test('it has the bare version; the header and the health document have the release type', async () => {
    const verdict = verdictTarget(claims(NOW))
    for (const target of [verdict, '/privacy', '/nowhere']) {
      assert.deepEqual(await versionsOf(portal, target), [`${version}-IR`, version], target)
    }
    const framed = { 'Sec-Fetch-Dest': 'iframe' }
    assert.deepEqual(await versionsOf(portal, verdict, framed), [`${version}-IR`, version])
    const health = JSON.parse((await exchange(portal, '/healthz')).body)
    assert.deepEqual([health.version, health.release_type], [version, 'IR'])
  })
  test('control: without a release type both were correct', async (t) => {
    const plain = await startPortal(t, { env: { GATEWAY_CAPTIVE_RELEASE_TYPE: '' } })
    assert.deepEqual(await versionsOf(plain, '/privacy'), [version, version])
  })
})

// When no CA was published (inspection on, which is the default, but no file, or an expired one), every page still
// asked "Why did I get a certificate error?" and sent the visitor to the operator. The question depended on the
// setting, not on the certificate, since the first version: without a CA nothing is inspected, and the visitor has seen
// no such error.
describe('certificate errors were explained without a CA', () => {
  const TARGETS = [
    verdictTarget(claims(NOW)),
    verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN, override: { type: 'pin' } })),
    verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN })),
    verdictTarget(claims(NOW - 301)),
    ...['/privacy', '/nowhere', '/ca', '/api/captive/ack'],
  ]

  test('with no CA published, no page mentions certificates or their errors', async (t) => {
    const { portal, publish } = await startPublishing(t)
    const expired = makeCertificate({ notBefore: NOW - 2 * DAY, notAfter: NOW - DAY })
    for (const content of [undefined, expired.certificate]) {
      if (content !== undefined) await publish(content)
      for (const locale of DEFAULT_LOCALES) {
        for (const target of TARGETS) {
          for (const headers of [{}, { 'Sec-Fetch-Dest': 'iframe' }]) {
            const { body } = await exchange(portal, target, { 'Accept-Language': locale, ...headers })
            // The word in all languages.
            assert.doesNotMatch(body, /certifi[ck]at|zertifikat/i, `${locale} ${target}`)
          }
        }
      }
    }
  })
  test('with a CA, every page except the certificate page links to where the errors are explained', async (t) => {
    const { portal } = await startPublishing(t, makeCertificate(YEAR).certificate)
    for (const locale of DEFAULT_LOCALES) {
      const { certificateError } = catalogue[locale].footer
      const { why } = catalogue[locale].certificate
      for (const target of TARGETS) {
        const { body } = await exchange(portal, target, { 'Accept-Language': locale })
        const isLinked = body.includes(`<a href="/ca">${certificateError}</a>`)
        assert.equal(isLinked, target !== '/ca', `${locale} ${target}`)
        assert.equal(body.includes(why), target === '/ca', `${locale} ${target}`)
      }
    }
  })
})

// An unconfigured portal sent visitors to its publisher, `Gateway Project`, because the brand company has that default
// and names the operator. Since the first version the fallback text was used only with an explicitly empty brand
// company, and no warning at start reported that the operator has no name.
describe('the publisher was named as the operator', () => {
  const PUBLISHER = 'Gateway Project'
  const mainOf = (body: string) => textOf(elements(parsePage(body), 'main')[0] as Element)

  test('with no operator configured, every page names the network administrator', async (t) => {
    const portal = await startPortal(t, { env: { GATEWAY_ORG_NAME: '' } })
    for (const locale of DEFAULT_LOCALES) {
      const { fallback } = catalogue[locale].operator
      for (const target of [verdictTarget(claims(NOW)), '/privacy', '/nowhere']) {
        const text = mainOf((await exchange(portal, target, { 'Accept-Language': locale })).body)
        assert.ok(text.includes(fallback) && !text.includes(PUBLISHER), `${locale} ${target}: ${text}`)
      }
    }
  })
  test('the certificate page and the profile name the product', async (t) => {
    const ca = makeCertificate(YEAR)
    const { portal } = await startPublishing(t, ca.certificate, { GATEWAY_CAPTIVE_BRAND_PRODUCT: 'Portal 1' })
    const { body } = await exchange(portal, '/ca')
    const [topbar] = elements(parsePage(body), 'header')
    assert.ok(textOf(topbar as Element).includes('Portal 1') && !mainOf(body).includes(PUBLISHER))
    const profile = (await exchange(portal, '/ca.mobileconfig')).body
    assert.ok(profile.includes('<key>PayloadOrganization</key><string>Portal 1</string>'))
  })
  test('the portal warns once at start that the operator has no name, also with workers', async (t) => {
    const started = startPortalProcess(t, { GATEWAY_CAPTIVE_WORKERS: '2' })
    await started.listening
    assert.equal(started.lines.filter((line) => /"level":40,.*GATEWAY_ORG_NAME is unset/.test(line)).length, 1)
  })
  test('control: a configured operator was always named', () => {
    const URL = 'https://company.example/'
    for (const [env, expected] of [
      [{ GATEWAY_ORG_NAME: 'Stadt Muster' }, { organisation: 'Stadt Muster' }],
      [{ GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster AG' }, { company: 'Muster AG', companyUrl: undefined }],
      // The publisher's name set explicitly, or a company with a URL, is intentional.
      [{ GATEWAY_CAPTIVE_BRAND_COMPANY: PUBLISHER }, { company: PUBLISHER }],
      [{ BRAND_COMPANY_URL: URL }, { company: PUBLISHER, companyUrl: URL }],
    ] as const) {
      const { config, warnings } = load({ GATEWAY_ORG_NAME: undefined, ...env })
      assert.deepEqual({ ...config.brand, ...expected }, config.brand)
      assert.deepEqual(warnings, [])
    }
  })
})

// Seen: with a GATEWAY_ORG_NAME that contains U+FDD0, a number and U+FDD1, every page showed there the visitor's address, the
// time or the rule. The portal marks with these characters where a page gets the visitor's texts, and only policies were not
// allowed to contain them. Since pages are rendered once and filled in.
describe('a name showed the visitor’s texts', () => {
  const NAMES = ['GATEWAY_ORG_NAME', 'GATEWAY_CAPTIVE_BRAND_PRODUCT', 'GATEWAY_CAPTIVE_SUPPORT_TEXT']

  test('such characters are rejected; control: other unusual ones are not', async () => {
    for (const name of NAMES) {
      const loading = loadPortalConfig({ ...complete, [name]: 'a \ufdd01\ufdd1' })
      await assert.rejects(loading, {
        name: 'ConfigProblems',
        message: new RegExp(`${name} must be one line of at most`),
      })
    }
    const { config } = await loadPortalConfig({ ...complete, GATEWAY_ORG_NAME: 'a \ufdcf\ufdf0 \ue000 💡' })
    assert.equal(config.brand.organisation, 'a \ufdcf\ufdf0 \ue000 💡')
  })
  test('control: placeholders of programs are displayed as typed, on every page', async (t) => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: typed so
    const typed = "{0} {name} ${0} {name} ${name} $&  $1 $' $$ %s %{host} {{x}} <%= x %> &amp;"
    const env = Object.fromEntries(NAMES.map((name) => [name, typed]))
    const portal = await startPortal(t, { env: { ...env, GATEWAY_CAPTIVE_SUPPORT_URL: 'https://help.example/' } })
    const verdicts = [
      claims(NOW),
      claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN }),
      claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN }),
      claims(NOW - 9999),
    ]
    for (const target of [...verdicts.map(verdictTarget), '/privacy', '/nowhere']) {
      for (const language of DEFAULT_LOCALES) {
        const text = textOf(parsePage((await exchange(portal, target, { 'Accept-Language': language })).body))
        // The product, the operator and the support text, each at least once.
        const times = text.split(typed).length - 1
        assert.ok(times >= 3, `${target} in ${language} has it ${times} times`)
        assert.ok(!text.replaceAll(typed, '').includes('{'), target)
      }
    }
  })
})

// Policies as they are kept in repositories: a block of metadata at the start became a heading of the page, `title: …` in large
// letters; a comment between two numbered lists was removed before the text was parsed, so that the lists became one, and the
// clauses of the second had other numbers than the ones people quote; a comment in code vanished; the lines of tables and of
// fenced code ran into one. Since operators may write the policy.
describe('a policy was shown as its author did not mean it', () => {
  const shown = (text: string) =>
    operatorPolicy({ nodes: parseMarkdown(text), locale: 'en' }, 'en', catalogue.en.aup).toString()
  const page = parsePage(
    `<!doctype html>\n<html>${shown(`---
title: Acceptable use
cross-refs:
  - "Handbook"
date-adoption:
---

# Network rules

1. Be kind.
2. Share no passwords.

<!-- From here on as agreed with the council. -->

1. Guests have an hour.
2. Staff have a day.

| Group | Limit |
|-------|-------|
| Guest | 1 h   |

Write \`<!-- note -->\` into your pages.
`)}</html>`,
  )
  const textsOf = (name: string, root = page) => elements(root, name).map((element) => textOf(element).trim())

  test('one with metadata, comments and a table', () => {
    assert.deepEqual(textsOf('h2'), ['Network rules'])
    assert.doesNotMatch(textOf(page), /Handbook|council/)
    const clauses = elements(page, 'ol').map((list) => textsOf('li', list))
    assert.deepEqual(clauses, [
      ['Be kind.', 'Share no passwords.'],
      ['Guests have an hour.', 'Staff have a day.'],
    ])
    const table = elements(page, 'p').find((paragraph) => textOf(paragraph).includes('Guest'))
    assert.equal(table && elements(table, 'br').length, 2)
    assert.deepEqual(textsOf('code'), ['<!-- note -->'])
  })
  test('control: without these, a policy is what it was', () => {
    assert.match(shown('# A\n\n1. b\n2. c\n'), /<h2>A<\/h2>\n<ol><li>b<\/li>\n<li>c<\/li>\n<\/ol>/)
  })
})

// A school mailed the address of its certificate page. The mail service appended `?utm_source=newsletter`, and a chat program
// `?fbclid=…`: visitors saw "this address is incomplete or damaged" (400). Others appended a slash: 404. Since the first
// version, every address was compared as strictly as a verdict's, where anything more is somebody's attempt.
describe('an address that a mail program extended was refused', () => {
  const APPENDED = ['?utm_source=newsletter&utm_medium=email', '?fbclid=IwAR0', '/', '/?gclid=1']

  test('it is the same page or file', async (t) => {
    const { portal } = await startPublishing(t, makeCertificate(YEAR).certificate)
    for (const path of ['/ca', '/ca.crt', '/ca.cer', '/ca.mobileconfig', '/privacy', '/healthz']) {
      for (const headers of path.startsWith('/ca') ? [{}, OVER_HTTP] : [{}]) {
        const bare = await exchange(portal, path, headers)
        assert.equal(bare.status, 200)
        for (const appended of APPENDED) {
          const { status, body } = await exchange(portal, path + appended, headers)
          assert.deepEqual({ status, body }, { status: 200, body: bare.body }, path + appended)
        }
      }
    }
  })
  test('control: a verdict’s address and its acknowledgement stay exact', async (t) => {
    const relaying = await startPortal(t, { env: { ENGINE_INTERNAL_URL: 'http://127.0.0.1:1' } })
    const target = verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN }))
    for (const one of [target, target.replace('/warned', '/api/captive/ack')]) {
      assert.equal((await exchange(relaying, `${one}&utm_source=newsletter`)).status, 400)
      assert.equal((await exchange(relaying, one.replace('?', '/?'))).status, 404)
    }
    assert.equal((await exchange(relaying, '/?utm_source=x')).status, 404)
  })
})

// The privacy notice said of the engine that it "keeps its own log, where your request can be found by its reference number". That
// log has the visitor's address and user name for each request that is stopped, with [audit] hosts = true the site as well, and
// with allowed = true every request: what a notice is for. It says now what the engine reports of its own settings.
describe('the privacy notice hid what the engine logs', () => {
  const KEY = keyring.sealing.kid
  const { gateway } = catalogue.en.privacy.recorded
  const cases = [
    [{ allowed: false, hosts: false }, gateway.stopped],
    [{ allowed: false, hosts: true }, gateway.stoppedWithSite],
    [{ allowed: true, hosts: false }, gateway.every],
    [{ allowed: true, hosts: true }, gateway.everyWithSite],
  ] as const

  test('it says in each language what the engine logs; control: or, if that is unknown, what it may', async (t) => {
    let health: unknown = { log: { allowed: 'yes', hosts: true } }
    const engine = createServer((_, response) => response.end(JSON.stringify(health)))
    const ENGINE_INTERNAL_URL = `http://127.0.0.1:${await listen(t, engine)}`
    const address = await startPortalProcess(t, { ENGINE_INTERNAL_URL }).listening
    const notice = async (language: string) =>
      (await fetch(`${address}/privacy`, { headers: { 'accept-language': language } })).text()
    await notice('en')
    assert.ok((await notice('en')).includes(gateway.unknown))
    health = healthDocument(KEY, cases[0][0], { days: 14, personDays: 3, hosts: true })
    for (const locale of DEFAULT_LOCALES) {
      const { stopped } = catalogue[locale].privacy.recorded.gateway
      await until(async () => (await notice(locale)).includes(stopped), 10)
    }
  })
  test('a restart of the engine changes it, and an engine that has stopped keeps it', async () => {
    for (const [log] of cases) {
      let health: Awaited<ReturnType<Parameters<typeof lastEngineRecords>[0]>> = { keyId: KEY, log }
      const records = lastEngineRecords(async () => health)
      const engineLog = () => records().log
      assert.equal(engineLog(), undefined)
      await Promise.resolve()
      assert.deepEqual(engineLog(), log)
      health = { reason: 'ECONNREFUSED' }
      await Promise.resolve()
      assert.deepEqual([engineLog(), engineLog()], [log, log])
      health = { keyId: KEY, log: { allowed: !log.allowed, hosts: log.hosts } }
      engineLog()
      await Promise.resolve()
      assert.deepEqual(engineLog(), health.log)
    }
  })
  test('each setting has its own sentence', () => {
    for (const [{ hosts }, text] of cases) {
      assert.match(text, /your device’s IP address, your user name/)
      assert.equal(text.includes('but not the site'), !hosts)
    }
  })
})

// The address of `http://news.example/?` or `…/#` was shown without its last character: path, query and fragment were
// put together, and an empty one has no text. The page must show exactly the link's target. Since the first version;
// found by fuzzing.
test('a destination with an empty query is shown unchanged', () => {
  for (const rest of ['/?', '/#', '/?#', '/a?#b', '/?x=y', '/']) {
    const destination = parseDestination(`http://u:p@news.example:8080${rest}`)
    assert.equal(destination?.rest, rest)
    assert.equal(destination?.href, `http://news.example:8080${rest}`)
  }
})
