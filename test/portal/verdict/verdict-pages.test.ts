// The content of each verdict page: what happened, where, why, how to proceed if that is possible, and whom to ask.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { en } from '../../../src/portal/page/i18n/en.ts'
import { ACK_TOKEN, claims, verdictQuery, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { attributesOf, type Element, elements, only, parsePage, textOf } from '../markup.ts'

const portal = await startPortal(undefined, { env: { GATEWAY_ORG_NAME: 'Schule Musterhausen' } })
after(() => portal.close())

const ack = { ack_token: ACK_TOKEN } as const
const PIN = { type: 'pin' } as const
const PASSPHRASE = { type: 'passphrase' } as const

async function pageOf(changes: Partial<VerdictClaims>): Promise<{ page: Element; query: string }> {
  const sealed = claims(NOW, changes)
  const query = verdictQuery(sealed)
  const path = verdictTarget(sealed).split('?')[0]
  const { status, body } = await exchange(portal, `${path}?${query}`)
  assert.equal(status, 200)
  return { page: parsePage(body), query }
}

const has = (page: Element, attribute: string, value: string) =>
  attributesOf(page).some((one) => one.name === attribute && one.value === value)
const links = (page: Element) => elements(page, 'a').map(({ attributes }) => attributes.href ?? '')
const acknowledgements = (page: Element) => links(page).filter((href) => href.startsWith('/api/'))
const hasCodeField = (page: Element) => elements(page, 'input').length > 0 || has(page, 'id', 'unlock')
const alertsOf = (page: Element) =>
  elements(page, 'p').filter(({ attributes }) => attributes.class === 'alert' && attributes.id === undefined)
const detailsOf = (page: Element) => {
  const terms = elements(page, 'dt').map(textOf)
  return Object.fromEntries(elements(page, 'dd').map((value, index) => [terms[index], textOf(value)]))
}

describe('every verdict page', () => {
  for (const kind of ['block', 'warn', 'aup'] as const) {
    test(`${kind}: destination, description, rule, category, reference and time`, async () => {
      const sealed = claims(NOW, { kind })
      const page = parsePage((await exchange(portal, verdictTarget(sealed))).body)
      assert.deepEqual(Object.entries(detailsOf(page)), [
        [en.details.reference, sealed.jti],
        [en.details.rule, 'rule-example'],
        [en.details.category, 'news'],
        [en.details.time, '15 January 2027 at 08:00:00 UTC'],
      ])
      assert.equal(textOf(only(page, 'class', 'url')), sealed.destination)
      assert.equal(textOf(only(page, 'class', 'reason')), 'Because the policy says so.')
      assert.equal(only(page, 'datetime', '2027-01-15T08:00:00.000Z').name, 'time')
    })

    test(`${kind}: no category, and no description`, async () => {
      const { category: _, ...sealed } = claims(NOW, { kind, rule_description: '' })
      const page = parsePage((await exchange(portal, verdictTarget(sealed))).body)
      assert.ok(!(en.details.category in detailsOf(page)))
      assert.ok(textOf(page).includes(en[kind].noReason))
    })

    test(`${kind}: a slash alone is not shown as a path, but ends a shortened destination`, async () => {
      const shown = async (destination: string, shortened = false) =>
        textOf(only((await pageOf({ kind, destination, shortened })).page, 'class', 'url'))
      assert.equal(await shown('https://news.example/'), 'https://news.example')
      assert.equal(await shown('https://news.example/?'), 'https://news.example/?')
      assert.equal(await shown('https://news.example/', true), 'https://news.example/…')
    })

    test(`${kind}: a shortened destination ends in an ellipsis`, async () => {
      const destination = 'https://news.example/'
      const { page } = await pageOf({ kind, destination, shortened: true })
      assert.equal(textOf(only(page, 'class', 'url')), `${destination}…`)
      assert.ok(textOf(page).includes(en.details.shortened))
      const whole = await pageOf({ kind, destination })
      assert.ok(!textOf(whole.page).includes('…'))
    })

    test(`${kind}: the privacy notice is linked`, async () => {
      assert.ok(links((await pageOf({ kind })).page).includes('/privacy?lang=en'))
    })
  }
})

describe('the headline', () => {
  const headline = async (changes: Partial<VerdictClaims>) => {
    const [heading, ...more] = elements((await pageOf(changes)).page, 'h1')
    assert.ok(heading && more.length === 0)
    return textOf(heading)
  }
  test('says whether there is a way on, and what it takes', async () => {
    const { block, warn, aup } = en
    assert.equal(await headline({}), block.heading)
    assert.equal(await headline({ kind: 'warn', ...ack }), warn.heading)
    assert.equal(await headline({ kind: 'warn', ...ack, override: PIN }), warn.headingCode)
    assert.equal(await headline({ kind: 'warn' }), warn.headingTerminal)
    assert.equal(await headline({ kind: 'aup', ...ack }), aup.heading)
    assert.equal(await headline({ kind: 'aup', ...ack, override: PIN }), aup.heading)
    assert.equal(await headline({ kind: 'aup' }), warn.headingTerminal)
  })
})

describe('the reason', () => {
  const descriptions = { de: 'Erst wenige Tage alt.', 'fr-CH': 'Récent.', it: '' }
  test('is in the language of the page if the engine sent that, else as the rule has it', async () => {
    for (const kind of ['block', 'warn', 'aup'] as const) {
      const target = verdictTarget(claims(NOW, { kind, rule_description: 'New.', rule_descriptions: descriptions }))
      const reasons = await Promise.all(
        ['en', 'de', 'de-AT', 'fr', 'it'].map(async (language) =>
          textOf(
            only(parsePage((await exchange(portal, target, { 'Accept-Language': language })).body), 'class', 'reason'),
          ),
        ),
      )
      assert.deepEqual(reasons, ['New.', 'Erst wenige Tage alt.', 'Erst wenige Tage alt.', 'Récent.', 'New.'])
    }
  })
  test('that exists in one language only is the built-in one in the others', async () => {
    const target = verdictTarget(claims(NOW, { rule_description: '', rule_descriptions: { de: 'Neu.' } }))
    const reason = async (language: string) =>
      textOf(only(parsePage((await exchange(portal, target, { 'Accept-Language': language })).body), 'class', 'reason'))
    assert.equal(await reason('de'), 'Neu.')
    assert.equal(await reason('en'), en.block.noReason)
  })
  test('has its own direction, as every bdi has', async () => {
    const { page } = await pageOf({ rule_description: 'שלום\nעולם' })
    const [reason] = elements(only(page, 'class', 'reason'), 'bdi')
    assert.equal(reason && textOf(reason), 'שלום\nעולם')
    assert.equal(reason?.attributes.dir ?? 'auto', 'auto')
  })
})

describe('the icon', () => {
  test('is the shape of the verdict, without a request', async () => {
    const icons = new Set<string>()
    for (const kind of ['block', 'warn', 'aup'] as const) {
      const { href = '' } = only((await pageOf({ kind })).page, 'rel', 'icon').attributes
      assert.match(
        decodeURIComponent(href),
        /^data:image\/svg\+xml,<svg xmlns='[^']+' viewBox='0 0 48 48'><path [^<>]+\/><\/svg>$/,
      )
      icons.add(href)
    }
    assert.equal(icons.size, 3)
  })
})

describe('no way to proceed', () => {
  for (const kind of ['block', 'warn', 'aup'] as const) {
    test(`${kind}: an alert names whom to ask; nothing leads to the engine`, async () => {
      const { page } = await pageOf({ kind })
      const [alert, ...more] = alertsOf(page)
      assert.ok(alert && more.length === 0)
      assert.match(textOf(alert), /contact Schule Musterhausen/)
      assert.deepEqual(acknowledgements(page), [])
      assert.ok(!hasCodeField(page))
      assert.doesNotMatch(
        attributesOf(page)
          .map(({ value }) => value)
          .join('\n'),
        /captive\/ack/,
      )
    })
  }
})

describe('proceeding by link', () => {
  for (const [kind, label] of [
    ['warn', 'Proceed anyway'],
    ['aup', 'I acknowledge and continue'],
  ] as const) {
    test(`${kind}: one link, with the three parameters unchanged`, async () => {
      const { page, query } = await pageOf({ kind, ...ack })
      assert.deepEqual(acknowledgements(page), [`/api/captive/ack?${query}`])
      const link = only(page, 'href', `/api/captive/ack?${query}`)
      assert.equal(textOf(link), label)
      // A new tab would lose the page, and a prefetch would acknowledge.
      assert.equal(link.attributes.target, undefined)
      assert.ok(!hasCodeField(page))
      assert.deepEqual(alertsOf(page), [])
      assert.deepEqual(elements(page, 'form'), [])
    })

    test(`${kind}: parameters in another order lead to the same link`, async () => {
      const sealed = claims(NOW, { kind, ...ack })
      const query = verdictQuery(sealed)
      const [p, v, ts] = query.split('&')
      const path = verdictTarget(sealed).split('?')[0]
      const page = parsePage((await exchange(portal, `${path}?${ts}&${v}&${p}`)).body)
      assert.deepEqual(acknowledgements(page), [`/api/captive/ack?${query}`])
    })
  }
  test('a warning offers the way back first; its link to proceed is not the primary button', async () => {
    const { page } = await pageOf({ kind: 'warn', ...ack })
    const choices = [...elements(page, 'button'), ...elements(page, 'a')].filter(({ attributes }) =>
      ['primary', 'button'].includes(attributes.class ?? ''),
    )
    assert.deepEqual(
      choices.map((choice) => [choice.attributes.class, textOf(choice), 'hidden' in choice.attributes]),
      [
        // Its script shows it.
        ['primary', en.warn.goBack, true],
        ['button', en.warn.proceed, false],
      ],
    )
  })

  test('states where it leads, and for how long if the engine says so', async () => {
    const leadsTo = 'You will go to news.example:8443.'
    for (const override of [undefined, PIN, PASSPHRASE]) {
      for (const kind of ['warn', 'aup'] as const) {
        const stated = async (session_seconds?: number) => {
          const session = session_seconds !== undefined && { session_seconds }
          const code = override && { override }
          const changes = { kind, ...ack, ...code, ...session, destination: 'https://news.example:8443/x' }
          return textOf(only((await pageOf(changes)).page, 'class', 'to'))
        }
        assert.equal(await stated(), leadsTo)
        assert.equal(await stated(3600), `${leadsTo} You won’t be asked again for the next 60 minutes.`)
        // Never longer than the engine says.
        assert.equal(await stated(9059), `${leadsTo} You won’t be asked again for the next 2 hours and 30 minutes.`)
      }
    }
    for (const kind of ['block', 'warn', 'aup'] as const) {
      assert.ok(!textOf((await pageOf({ kind, session_seconds: 3600 })).page).includes('asked again'))
    }
  })

  test('states that the choice is recorded', async () => {
    assert.ok(textOf((await pageOf({ kind: 'aup', ...ack })).page).includes(en.aup.byContinuing))
    assert.ok(textOf((await pageOf({ kind: 'warn', ...ack })).page).includes(en.warn.next))
  })
})

describe('proceeding by code', () => {
  for (const kind of ['warn', 'aup'] as const) {
    for (const override of [PIN, PASSPHRASE]) {
      test(`${kind}, ${override.type}: a field and an Unlock button, and no visible link`, async () => {
        const { page } = await pageOf({ kind, ...ack, override })
        const field = only(page, 'id', 'unlock')
        assert.equal(textOf(only(field, 'id', 'unlock-button')), 'Unlock')
        assert.deepEqual(acknowledgements(page), [])
        assert.deepEqual(
          alertsOf({ ...page, children: page.children.filter((child) => child !== field) }).map(textOf),
          [en.override.needsScript],
        )
        assert.doesNotMatch(textOf(page), /Proceed anyway|I acknowledge and continue/)
        // Without a form there is no implicit submission.
        assert.deepEqual(elements(page, 'form'), [])
      })
    }
  }

  for (const [length, expected] of [
    [undefined, 6],
    [4, 4],
    [12, 12],
  ] as const) {
    test(`a PIN of ${length ?? 'unsaid'} length has ${expected} boxes, each labelled with its position, and says beforehand that the cursor advances`, async () => {
      const override = length === undefined ? PIN : { ...PIN, length }
      const { page } = await pageOf({ kind: 'warn', ...ack, override })
      const boxes = elements(page, 'input')
      assert.deepEqual(
        boxes.map(({ attributes }) => attributes['aria-label']),
        Array.from({ length: expected }, (_, index) => `Digit ${index + 1} of ${expected}`),
      )
      for (const { attributes } of boxes) assert.equal(attributes.inputmode, 'numeric')
      assert.equal(boxes[0]?.attributes.autocomplete, 'one-time-code')
      const [group] = elements(page, 'fieldset')
      assert.ok(group)
      assert.equal(elements(group, 'input').length, expected)
      assert.deepEqual(elements(group, 'legend').map(textOf), ['PIN'])
      const [advice] = elements(only(page, 'id', 'unlock'), 'p')
      assert.equal(advice && textOf(advice), 'Enter the code. The cursor moves on by itself.')
    })
  }

  test('a passphrase is masked, labelled, and can be shown', async () => {
    const { page } = await pageOf({ kind: 'warn', ...ack, override: PASSPHRASE })
    const [field, ...more] = elements(page, 'input')
    assert.ok(field && more.length === 0)
    // Password managers would offer to save it (checks/browser/password-managers.test.ts); its script masks it.
    assert.equal(field.attributes.type, undefined)
    assert.equal(field.attributes.autocomplete, 'off')
    assert.equal(only(page, 'id', 'unlock').attributes.hidden, '')
    const label = only(page, 'for', field.attributes.id ?? '')
    assert.equal(textOf(label), 'Passphrase')
    assert.equal(textOf(only(page, 'id', 'show')), 'Show')
  })

  test("the rule's prompt replaces the label and nothing else, verbatim in every language", async () => {
    const prompt = 'Code vom Empfang (Gebäude B) <b>&amp;</b>'
    for (const override of [PIN, PASSPHRASE]) {
      const sealed = claims(NOW, { kind: 'warn', ...ack, override })
      const labelOf = (page: Element) => elements(page, override === PIN ? 'legend' : 'label').map(textOf)
      const withoutLabel = (page: Element) => textOf(page).replace(labelOf(page).join(), '')
      for (const language of ['en', 'fr', 'de', 'it']) {
        const headers = { 'Accept-Language': language }
        const [plain, prompted] = await Promise.all(
          [override, { ...override, prompt }].map(async (one) =>
            parsePage((await exchange(portal, verdictTarget({ ...sealed, override: one }), headers)).body),
          ),
        )
        assert.ok(plain && prompted)
        assert.deepEqual(labelOf(prompted), [prompt])
        assert.equal(withoutLabel(prompted), withoutLabel(plain))
      }
    }
  })

  test('an empty prompt selects the built-in label', async () => {
    const { page } = await pageOf({ kind: 'warn', ...ack, override: { ...PIN, prompt: '' } })
    assert.deepEqual(elements(page, 'legend').map(textOf), ['PIN'])
  })

  test('the page states that unlocking accepts the policy', async () => {
    assert.ok(textOf((await pageOf({ kind: 'aup', ...ack, override: PIN })).page).includes(en.aup.byUnlocking))
  })

  test('only pages that can be acknowledged have a script for that', async () => {
    const scripts = async (changes: Partial<VerdictClaims>) => elements((await pageOf(changes)).page, 'script').length
    const plain = await scripts({})
    const guarded = plain + 1
    assert.equal(await scripts({ kind: 'warn', ...ack }), guarded)
    assert.equal(await scripts({ kind: 'aup', ...ack }), guarded)
    assert.equal(await scripts({ kind: 'warn', ...ack, override: PIN }), guarded)
    assert.equal(await scripts({ kind: 'warn', ...ack, override: PASSPHRASE }), guarded)
  })
})

describe('the policy', () => {
  test('that cannot be accepted comes after the alert that says so', async () => {
    const text = textOf((await pageOf({ kind: 'aup' })).page)
    assert.ok(text.indexOf('You can’t accept this policy here.') < text.indexOf(en.aup.policy.introduction))
  })

  test('is shown completely in every variant, under its heading', async () => {
    for (const changes of [{}, ack, { ...ack, override: PIN }]) {
      const { page } = await pageOf({ kind: 'aup', ...changes })
      const { introduction, rules, conclusion } = en.aup.policy
      for (const text of [en.aup.policyHeading, introduction, ...rules, conclusion]) {
        assert.ok(textOf(page).includes(text), text)
      }
    }
  })
  test('is on no other page', async () => {
    for (const kind of ['block', 'warn'] as const) {
      assert.ok(!textOf((await pageOf({ kind })).page).includes(en.aup.policy.introduction))
    }
  })
})
