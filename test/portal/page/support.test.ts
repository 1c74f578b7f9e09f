// Whom to ask: the operator's link and text, with a verdict's details where the scheme allows it.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { formatTime } from '../../../src/portal/page/i18n/format.ts'
import { catalogue, DEFAULT_LOCALES } from '../../support/catalogue.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { type Element, elements, parsePage, skeleton, textOf } from '../markup.ts'

const MAIL = 'mailto:help@school.example'
const TEXT = 'Room <12> & 13'
const MAXIMUM_BYTES = 1500

const start = (t: TestContext, url: string, text = TEXT) =>
  startPortal(t, { env: { GATEWAY_CAPTIVE_SUPPORT_URL: url, GATEWAY_CAPTIVE_SUPPORT_TEXT: text } })

async function pageOf(portal: RunningPortal, changes: Partial<VerdictClaims>, locale = 'en'): Promise<Element> {
  return await load(portal, verdictTarget(claims(NOW, changes)), locale)
}

async function load(portal: RunningPortal, target: string, locale = 'en'): Promise<Element> {
  return parsePage((await exchange(portal, target, { 'Accept-Language': locale })).body)
}

const linksOf = (page: Element) => elements(page, 'a').filter(({ attributes: { href = '' } }) => /^[a-z]+:/.test(href))
const reportOf = (page: Element) => linksOf(page).filter(({ attributes }) => attributes.class === 'button')
const hrefOf = ([link, ...more]: readonly Element[]) => {
  assert.ok(link && more.length === 0)
  return link.attributes.href as string
}
const footerOf = (page: Element) => linksOf(elements(page, 'footer')[0] as Element)
const detailsOf = (page: Element) => {
  const values = elements(page, 'dd').map(textOf)
  return new Map(elements(page, 'dt').map((term, index) => [textOf(term), values[index]]))
}

/** Address and decoded fields, as a mail program reads them (RFC 6068). */
function mailOf(href: string): { to: string; fields: [name: string, value: string][] } {
  const [, to = '', query = ''] = /^mailto:([^?#]*)(?:\?([^#]*))?$/.exec(href) ?? assert.fail(href)
  const fields = query.split('&').map((field): [string, string] => {
    const [name = '', value = '', ...more] = field.split('=')
    assert.deepEqual(more, [])
    return [name, decodeURIComponent(value)]
  })
  return { to: decodeURIComponent(to), fields }
}

const DEAD_ENDS = ['block', 'warn', 'aup'] as const

describe('where there is no way on', () => {
  for (const kind of DEAD_ENDS) {
    test(`${kind}: a mail to report a mistake or to ask for access, in the visitor’s language`, async (t) => {
      const portal = await start(t, MAIL)
      for (const locale of DEFAULT_LOCALES) {
        const { details, ...words } = catalogue[locale]
        const report = kind === 'block' ? words.report : words.askForAccess
        const sealed = claims(NOW, { kind })
        const page = await load(portal, verdictTarget(sealed), locale)
        assert.deepEqual(reportOf(page).map(textOf), [report])
        const [subject, body, ...more] = mailOf(hrefOf(reportOf(page))).fields
        assert.deepEqual(more, [])
        assert.deepEqual(subject, ['subject', details.labelled(report, 'news.example')])
        // To the second: what the page shows without.
        const time = formatTime(NOW, locale, 'UTC').text
        const lines = [
          details.labelled(details.rule, sealed.rule_name),
          details.labelled(details.category, 'news'),
          details.labelled(details.reference, sealed.jti),
          details.labelled(details.time, time),
        ]
        assert.deepEqual(body, ['body', ['', '', ...lines].join('\r\n')])
      }
    })
  }

  test('a number to dial is in the label', async (t) => {
    const portal = await start(t, 'tel:+41-44-123-45-67')
    const page = await pageOf(portal, {}, 'fr')
    assert.deepEqual(
      reportOf(page).map((link) => [link.attributes.href, textOf(link)]),
      [['tel:+41-44-123-45-67', 'Signaler une erreur\u00a0: +41-44-123-45-67']],
    )
  })

  test('the operator’s own form gets the reference, and nothing else', async (t) => {
    const portal = await start(t, 'https://desk.example/new?ref={reference}&from=portal#{reference}')
    const sealed = claims(NOW)
    const page = await load(portal, verdictTarget(sealed))
    const wanted = `https://desk.example/new?ref=${sealed.jti}&from=portal#${sealed.jti}`
    assert.deepEqual([hrefOf(reportOf(page)), hrefOf(footerOf(page))], [wanted, wanted])
    assert.equal(detailsOf(page).get('Help'), `https://desk.example/new${TEXT}`)
  })

  test('only a text, or nothing', async (t) => {
    for (const [text, times] of [
      [TEXT, 1],
      ['', 0],
    ] as const) {
      const portal = await start(t, '', text)
      for (const kind of DEAD_ENDS) {
        const page = await pageOf(portal, { kind })
        assert.deepEqual(linksOf(page), [])
        assert.equal(textOf(page).split(TEXT).length - 1, times)
        assert.equal(detailsOf(page).has('Help'), times > 0)
      }
    }
  })
})

test('the operator’s own subject and body stay, with what they ask for', async (t) => {
  const portal = await start(t, `${MAIL}?cc=it@school.example&Subject=[{reference}]%20{host}&BODY={rule}/{category}`)
  const sealed = claims(NOW)
  const page = await load(portal, verdictTarget(sealed))
  for (const href of [hrefOf(reportOf(page)), hrefOf(footerOf(page))]) {
    assert.deepEqual(mailOf(href).fields, [
      ['cc', 'it@school.example'],
      ['Subject', `[${sealed.jti}] news.example`],
      ['BODY', 'rule-example/news'],
    ])
  }
  const own = await start(t, `${MAIL}?body=`)
  assert.deepEqual(mailOf(hrefOf(reportOf(await pageOf(own, {})))).fields, [
    ['body', ''],
    ['subject', 'Report a mistake: news.example'],
  ])
})

test('where there is a way on: no button; address and text in the details, the link in the footer', async (t) => {
  const portal = await start(t, `${MAIL}?subject={host}`)
  for (const kind of ['warn', 'aup'] as const) {
    for (const override of [undefined, { type: 'pin' } as const]) {
      const page = await pageOf(portal, { kind, ack_token: ACK_TOKEN, ...(override && { override }) })
      assert.deepEqual(reportOf(page), [])
      assert.equal(detailsOf(page).get('Help'), `help@school.example${TEXT}`)
      assert.deepEqual(footerOf(page).map(textOf), ['Contact support'])
      assert.equal(hrefOf(footerOf(page)), `${MAIL}?subject=news.example`)
    }
  }
})

test('on other pages the link has no details, and error pages show address and text', async (t) => {
  const portal = await start(t, `${MAIL}?subject=Portal%20{reference}{host}`)
  for (const target of ['/privacy', '/nowhere', verdictTarget(claims(NOW - 301))]) {
    const page = await load(portal, target)
    for (const link of linksOf(page)) assert.equal(link.attributes.href, `${MAIL}?subject=Portal%20`)
    const [article] = elements(page, 'article')
    assert.ok(article)
    assert.equal(textOf(article).includes(`help@school.example${TEXT}`), target !== '/privacy')
    assert.deepEqual(linksOf(article).map(textOf), target === '/privacy' ? [] : ['help@school.example'])
  }
})

test('after an acknowledgement has failed, the mail has title and reference', async (t) => {
  const portal = await startPortal(t, {
    env: { GATEWAY_CAPTIVE_SUPPORT_URL: MAIL, ENGINE_INTERNAL_URL: 'http://127.0.0.1:1' },
  })
  const sealed = claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN })
  const page = await load(portal, verdictTarget(sealed).replace('/warned', '/api/captive/ack'))
  const [article] = elements(page, 'article')
  const [link] = linksOf(article as Element)
  const { title } = catalogue.en.outcome.engineUnreachable
  assert.deepEqual(mailOf(link?.attributes.href as string).fields, [
    ['subject', title],
    ['body', `\r\n\r\nReference: ${sealed.jti}`],
  ])
})

describe('a hostile engine', () => {
  const URLS = [MAIL, `${MAIL}?subject={rule}&body={category}%0D%0A{host}%0D%0A{reference}&cc=it@school.example`]
  /** What could end a header, a field or an attribute, or reorder the text around it. */
  const FORBIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u
  const NASTY = [
    'a\r\nBcc: evil@evil.example',
    'a%0D%0ABcc:evil@evil.example',
    'a&bcc=evil@evil.example',
    '"><script>alert(1)</script>',
    '{reference}{host}',
    '\u202egnp.exe\u2066\u2069\u200f\u061c',
    'line\u2028separator\u2029paragraph\u0085next',
    '\ufdd01\ufdd1',
    '𝕏'.repeat(31),
    '\ud800',
  ]

  for (const url of URLS) {
    test(`adds neither header nor recipient, and cannot leave the link: ${url.length > 40 ? 'own fields' : 'ours'}`, async (t) => {
      const portal = await start(t, url)
      const benign = await pageOf(portal, {})
      const mailsOf = (page: Element) => [reportOf(page), footerOf(page)].map((links) => mailOf(hrefOf(links)))
      /** Names of the fields, and how many lines each has. */
      const shapes = (mails: ReturnType<typeof mailsOf>) =>
        mails.map(({ to, fields }) => [to, ...fields.map(([name, value]) => [name, value.split('\r\n').length])])
      const check = async (text: string, destination: string) => {
        const page = await pageOf(portal, { rule_name: `r${text}`, category: `c${text}`, destination })
        assert.equal(skeleton(page), skeleton(await pageOf(portal, { destination })))
        assert.deepEqual(shapes(mailsOf(page)), shapes(mailsOf(benign)))
        for (const href of [hrefOf(reportOf(page)), hrefOf(footerOf(page))]) {
          assert.match(href, /^[!-~]+$/)
          assert.doesNotMatch(href, /["'<>{}]/)
          assert.ok(href.length <= MAXIMUM_BYTES)
          for (const [name, value] of mailOf(href).fields) {
            for (const line of name === 'body' ? value.split('\r\n') : [value]) assert.doesNotMatch(line, FORBIDDEN)
          }
        }
      }
      for (const text of NASTY) await check(text, `https://news.example/${text.replace(/[\0-\x1f\x7f]/g, '')}`)
      const text = fc.string({ unit: 'binary', maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(text, (text) => check(text, 'https://news.example/')),
        { numRuns: 20 },
      )
    })
  }

  test('the longest values fit into 1,500 bytes, with the whole reference', async (t) => {
    const sealed = claims(NOW, {
      rule_name: 'é'.repeat(64),
      category: '漢'.repeat(42),
      destination: `https://${['a', 'b', 'c', 'd'].map((one) => one.repeat(60)).join('.')}.example/zqpath?zqquery`,
    })
    for (const url of [MAIL, `${MAIL}?subject=${'{rule}'.repeat(70)}&body={reference}`]) {
      const portal = await start(t, url)
      for (const locale of DEFAULT_LOCALES) {
        const page = await load(portal, verdictTarget(sealed), locale)
        for (const href of [hrefOf(reportOf(page)), hrefOf(footerOf(page))]) {
          assert.ok(href.length <= MAXIMUM_BYTES, `${locale}: ${href.length}`)
          assert.doesNotMatch(href, /zq(?:path|query)/)
          mailOf(href)
        }
        assert.ok(hrefOf(reportOf(page)).includes(sealed.jti))
      }
    }
  })
})
