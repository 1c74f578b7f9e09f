// The content of each verdict page: what happened, where, why, how to proceed if that is possible, and whom to ask.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { en } from '../../../src/portal/page/i18n/en.ts'
import { catalogue, DEFAULT_LOCALES } from '../../support/catalogue.ts'
import { ACK_TOKEN, claims, verdictQuery, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { attributesOf, type Element, elements, only, parsePage, textOf } from '../markup.ts'

const portal = await startPortal({ after }, { env: { GATEWAY_ORG_NAME: 'Schule Musterhausen' } })

const ack = { ack_token: ACK_TOKEN } as const
const PIN = { type: 'pin' } as const
const PASSPHRASE = { type: 'passphrase' } as const
const KINDS = ['block', 'warn', 'aup'] as const

async function pageOf(changes: Partial<VerdictClaims>, language = 'en'): Promise<Element> {
  const { status, body } = await exchange(portal, verdictTarget(claims(NOW, changes)), { 'Accept-Language': language })
  assert.equal(status, 200)
  return parsePage(body)
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
  for (const kind of KINDS) {
    test(`${kind}: destination, description, rule, category, reference, time, and the privacy notice`, async () => {
      const sealed = claims(NOW, { kind })
      const page = await pageOf(sealed)
      assert.deepEqual(Object.entries(detailsOf(page)), [
        [en.details.reference, sealed.jti],
        [en.details.rule, 'rule-example'],
        [en.details.category, 'news'],
        [en.details.time, '15 January 2027 at 08:00 UTC'],
      ])
      assert.equal(textOf(only(page, 'class', 'url')), sealed.destination)
      assert.equal(textOf(only(page, 'class', 'reason')), 'Because the policy says so.')
      assert.equal(only(page, 'datetime', '2027-01-15T08:00:00Z').name, 'time')
      assert.ok(links(page).includes('/privacy?lang=en'))
    })

    test(`${kind}: no category, and no description`, async () => {
      const page = await pageOf({ kind, rule_description: '', category: undefined as never })
      assert.ok(!(en.details.category in detailsOf(page)))
      assert.ok(textOf(page).includes(en[kind].noReason))
    })

    test(`${kind}: a slash alone is not shown as a path, and a shortened destination ends in an ellipsis`, async () => {
      const shown = async (destination: string, shortened = false) => {
        const page = await pageOf({ kind, destination, shortened })
        assert.equal(textOf(page).includes(en.details.shortened), shortened)
        return textOf(only(page, 'class', 'url'))
      }
      assert.equal(await shown('https://news.example/'), 'https://news.example')
      assert.equal(await shown('https://news.example/?'), 'https://news.example/?')
      assert.equal(await shown('https://news.example/', true), 'https://news.example/…')
    })
  }

  test('its headline says whether there is a way on, and what it takes', async () => {
    const { block, warn, aup } = en
    for (const [changes, headline] of [
      [{}, block.heading],
      [{ kind: 'warn', ...ack }, warn.heading],
      [{ kind: 'warn', ...ack, override: PIN }, warn.headingCode],
      [{ kind: 'warn' }, warn.headingTerminal],
      [{ kind: 'aup', ...ack }, aup.heading],
      [{ kind: 'aup', ...ack, override: PIN }, aup.heading],
      [{ kind: 'aup' }, warn.headingTerminal],
    ] as const) {
      assert.deepEqual(elements(await pageOf(changes), 'h1').map(textOf), [headline])
    }
  })

  test('its icon is the shape of the verdict, without a request', async () => {
    const icons = new Set<string>()
    for (const kind of KINDS) {
      const { href = '' } = only(await pageOf({ kind }), 'rel', 'icon').attributes
      const svg = /^data:image\/svg\+xml,<svg xmlns='[^']+' viewBox='0 0 48 48'><path [^<>]+\/><\/svg>$/
      assert.match(decodeURIComponent(href), svg)
      icons.add(href)
    }
    assert.equal(icons.size, 3)
  })
})

describe('the reason', () => {
  const reasonOf = async (changes: Partial<VerdictClaims>, language: string) =>
    textOf(only(await pageOf(changes, language), 'class', 'reason'))

  test('is in the language of the page if the engine sent that, else as the rule has it', async () => {
    const rule_descriptions = { de: 'Erst wenige Tage alt.', 'fr-CH': 'Récent.', it: '' }
    for (const kind of KINDS) {
      const sealed = { kind, rule_description: 'New.', rule_descriptions }
      const reasons = await Promise.all(['en', 'de-AT', 'fr', 'it'].map((language) => reasonOf(sealed, language)))
      assert.deepEqual(reasons, ['New.', 'Erst wenige Tage alt.', 'Récent.', 'New.'])
    }
  })
  test('that exists in one language only is the built-in one in the others', async () => {
    const sealed = { rule_description: '', rule_descriptions: { de: 'Neu.' } }
    assert.equal(await reasonOf(sealed, 'de'), 'Neu.')
    assert.equal(await reasonOf(sealed, 'en'), en.block.noReason)
  })
})

describe('no way to proceed', () => {
  for (const kind of KINDS) {
    test(`${kind}: a quiet sentence names whom to ask, the way back is the first button; nothing leads to the engine`, async () => {
      const page = await pageOf({ kind })
      assert.deepEqual(alertsOf(page), [])
      assert.match(textOf(only(page, 'class', 'quiet')), /Contact Schule Musterhausen/)
      assert.equal(textOf(only(page, 'id', 'back')), en.goBack)
      assert.ok(!hasCodeField(page))
      for (const { value } of attributesOf(page)) assert.doesNotMatch(value, /captive\/ack/)
    })
  }
})

describe('when it opens again', () => {
  test('is said where there is no way to proceed, in the operator’s zone', async () => {
    // NOW is 08:00 in UTC.
    for (const [opens_at, said] of [
      [NOW + 4 * 3600, 'This opens again today at 12:00.'],
      [NOW + 24 * 3600, 'This opens again tomorrow at 08:00.'],
    ] as const) {
      for (const kind of KINDS) assert.ok(textOf(await pageOf({ kind, opens_at })).includes(said), `${kind} ${said}`)
    }
    for (const kind of ['warn', 'aup'] as const) {
      assert.doesNotMatch(textOf(await pageOf({ kind, ...ack, opens_at: NOW + 3600 })), /opens again/)
    }
    assert.match(textOf(await pageOf({ opens_at: NOW + 3600 }, 'de')), /heute um 09:00 Uhr/)
  })
})

describe('proceeding by link', () => {
  for (const [kind, label, isRecorded] of [
    ['warn', 'Proceed anyway', en.warn.next],
    ['aup', 'I acknowledge and continue', en.aup.byContinuing],
  ] as const) {
    test(`${kind}: one link, with the three parameters unchanged, whatever their order was`, async () => {
      const sealed = claims(NOW, { kind, ...ack })
      const query = verdictQuery(sealed)
      const [path] = verdictTarget(sealed).split('?')
      for (const asked of [query, query.split('&').reverse().join('&')]) {
        const page = parsePage((await exchange(portal, `${path}?${asked}`)).body)
        assert.deepEqual(acknowledgements(page), [`/api/captive/ack?${query}`])
        const link = only(page, 'href', `/api/captive/ack?${query}`)
        assert.equal(textOf(link), label)
        // A new tab would lose the page.
        assert.equal(link.attributes.target, undefined)
        assert.ok(!hasCodeField(page))
        assert.deepEqual([...alertsOf(page), ...elements(page, 'form')], [])
        assert.ok(textOf(page).includes(isRecorded))
      }
    })
  }
  test('a warning offers the way back first; its link to proceed is not the primary button', async () => {
    const page = await pageOf({ kind: 'warn', ...ack })
    const choices = [...elements(page, 'button'), ...elements(page, 'a')].filter(({ attributes }) =>
      ['primary', 'button'].includes(attributes.class ?? ''),
    )
    assert.deepEqual(
      choices.map((choice) => [choice.attributes.class, textOf(choice), 'hidden' in choice.attributes]),
      [
        // Its script shows it.
        ['primary', en.goBack, true],
        ['button', en.warn.proceed, false],
      ],
    )
  })

  test('says for how long, if the engine does, and below a policy where it leads', async () => {
    const leadsTo = 'You will go to news.example:8443.'
    for (const override of [undefined, PIN]) {
      for (const kind of ['warn', 'aup'] as const) {
        const stated = async (session_seconds?: number) => {
          const session = session_seconds !== undefined && { session_seconds }
          const code = override && { override }
          const changes = { kind, ...ack, ...code, ...session, destination: 'https://news.example:8443/x' }
          return textOf(await pageOf(changes))
        }
        const lasts = (time: string) =>
          kind === 'warn' && override === undefined
            ? `Your choice is recorded and lasts ${time}.`
            : `${kind === 'aup' ? `${leadsTo} ` : ''}You won’t be asked again for the next ${time}.`
        assert.equal((await stated()).includes(leadsTo), kind === 'aup')
        assert.doesNotMatch(await stated(), /asked again|lasts/)
        assert.ok((await stated(3600)).includes(lasts('60 minutes')))
        // Never longer than the engine says.
        assert.ok((await stated(9059)).includes(lasts('2 hours and 30 minutes')))
      }
    }
    for (const kind of KINDS) {
      assert.doesNotMatch(textOf(await pageOf({ kind, session_seconds: 3600 })), /asked again|lasts/)
    }
  })
})

describe('proceeding by code', () => {
  for (const kind of ['warn', 'aup'] as const) {
    for (const override of [PIN, PASSPHRASE]) {
      test(`${kind}, ${override.type}: a field and an Unlock button, and no visible link`, async () => {
        const page = await pageOf({ kind, ...ack, override })
        const field = only(page, 'id', 'unlock')
        assert.equal(textOf(only(field, 'id', 'enter')), 'Unlock')
        assert.deepEqual(acknowledgements(page), [])
        assert.deepEqual(
          alertsOf({ ...page, children: page.children.filter((child) => child !== field) }).map(textOf),
          [en.override.needsScript],
        )
        assert.doesNotMatch(textOf(page), /Proceed anyway|I acknowledge and continue/)
        // Without a form there is no implicit submission.
        assert.deepEqual(elements(page, 'form'), [])
        if (kind === 'aup') assert.ok(textOf(page).includes(en.aup.byUnlocking))
      })
    }
  }

  for (const [length, expected] of [
    [undefined, 6],
    [12, 12],
  ] as const) {
    test(`a PIN of ${length ?? 'unsaid'} length gets ${expected} boxes from the script, and the page says beforehand that the cursor advances`, async () => {
      const override = length === undefined ? PIN : { ...PIN, length }
      const page = await pageOf({ kind: 'warn', ...ack, override })
      const [row] = elements(page, 'fieldset')
      const { 'data-length': boxes, 'data-digit': label } = row?.attributes ?? {}
      assert.deepEqual([boxes, label], [String(expected), `Digit # of ${expected}`])
      const [advice] = elements(only(page, 'id', 'unlock'), 'p')
      assert.match(advice ? textOf(advice) : '', /^Enter the code. The cursor moves on by itself./)
    })
  }

  test('a passphrase is masked, labelled, and can be shown', async () => {
    const page = await pageOf({ kind: 'warn', ...ack, override: PASSPHRASE })
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
    const typed = 'Code vom Empfang (Gebäude B) <b>&amp;</b>'
    for (const override of [PIN, PASSPHRASE]) {
      const sealed = claims(NOW, { kind: 'warn', ...ack })
      const labelOf = (page: Element) => elements(page, override === PIN ? 'legend' : 'label').map(textOf)
      const withoutLabel = (page: Element) => textOf(page).replace(labelOf(page).join(), '')
      for (const language of DEFAULT_LOCALES) {
        const asked = (prompt: string) => pageOf({ ...sealed, override: { ...override, prompt } }, language)
        const [plain, prompted] = [await asked(''), await asked(typed)]
        const { pin, passphrase } = catalogue[language].override
        assert.deepEqual(labelOf(plain), [override === PIN ? pin : passphrase], 'an empty one is none')
        assert.deepEqual(labelOf(prompted), [typed])
        assert.equal(withoutLabel(prompted), withoutLabel(plain))
      }
    }
  })

  test('only pages that can be acknowledged have a script for that', async () => {
    const scripts = async (changes: Partial<VerdictClaims>) =>
      elements(await pageOf(changes), 'script')
        .flatMap(({ children }) => children)
        .join('\n')
    for (const kind of KINDS) assert.doesNotMatch(await scripts({ kind }), /guardedUntil|captive\/ack\$/)
    for (const kind of ['warn', 'aup'] as const) {
      assert.match(await scripts({ kind, ...ack }), /guardedUntil/)
      assert.match(await scripts({ kind, ...ack, override: PIN }), /captive\/ack\$/)
    }
  })
})

test('the policy is shown completely, under its heading, and after the alert if it cannot be accepted', async () => {
  const { introduction, rules, conclusion } = en.aup.policy
  for (const changes of [{}, ack, { ...ack, override: PIN }]) {
    const text = textOf(await pageOf({ kind: 'aup', ...changes }))
    for (const part of [en.aup.policyHeading, introduction, ...rules, conclusion]) assert.ok(text.includes(part), part)
  }
  const text = textOf(await pageOf({ kind: 'aup' }))
  assert.ok(text.indexOf('You can’t accept this policy here.') < text.indexOf(introduction))
})
