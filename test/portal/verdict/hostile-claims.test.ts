// Text from rules and addresses stays text: it never becomes an element, attribute or link.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { parseDestination } from '../../../src/contract/destination.ts'
import type { VerdictClaims, VerdictKind } from '../../../src/contract/verdict.ts'
import { HOSTILE_TEXTS } from '../../support/hostile.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { attributesOf, type Element, elements, only, parsePage, skeleton, textOf } from '../markup.ts'

const portal = await startPortal({ after })

/** They could make a text read backwards. */
const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g

const ack = { ack_token: ACK_TOKEN } as const

/** Every variant of every page that shows claims, with a prompt if it has a code field. */
const flavours: Readonly<Record<string, (prompt: string) => Partial<VerdictClaims> & { kind: VerdictKind }>> = {
  'block, shortened': () => ({ kind: 'block', shortened: true }),
  'warn, terminal': () => ({ kind: 'warn' }),
  'warn with a link': () => ({ kind: 'warn', ...ack }),
  'warn with a PIN': (prompt) => ({ kind: 'warn', ...ack, override: { type: 'pin', prompt } }),
  'aup with a link': () => ({ kind: 'aup', ...ack }),
  'aup with a passphrase': (prompt) => ({ kind: 'aup', ...ack, override: { type: 'passphrase', prompt } }),
}

async function pageOf(changes: Partial<VerdictClaims>): Promise<Element> {
  const { status, body } = await exchange(portal, verdictTarget(claims(NOW, changes)))
  assert.equal(status, 200)
  return parsePage(body)
}

/** The number of texts on the page that contain this one; each must be isolated for its direction. */
function occurrences(root: Element, wanted: string, isolated = false): number {
  const inside = isolated || root.name === 'bdi'
  let count = 0
  for (const child of root.children) {
    if (typeof child !== 'string') count += occurrences(child, wanted, inside)
    else if (child.includes(wanted) && !['style', 'script'].includes(root.name)) {
      assert.ok(inside, `not isolated: ${child}`)
      count++
    }
  }
  return count
}

for (const [name, flavour] of Object.entries(flavours)) {
  describe(`${name}: hostile claims add no element or attribute, and are shown isolated, unchanged but for bidirectional overrides`, async () => {
    const benign = await pageOf(flavour('prompt'))

    async function assertShown(text: string, destination?: string, like = benign): Promise<void> {
      const changes = flavour(`zqp ${text}`.slice(0, 26))
      const texts = { rule_name: `zqn ${text}`, rule_description: `zqd ${text}`, category: `zqc ${text}` }
      const page = await pageOf({ ...changes, ...texts, ...(destination && { destination }) })
      assert.equal(skeleton(page), skeleton(like), text)
      for (const shown of [...Object.values(texts), ...(changes.override ? [changes.override.prompt ?? ''] : [])]) {
        assert.equal(occurrences(page, shown.toWellFormed().replace(OVERRIDES, '')), 1, shown)
      }
      assert.doesNotMatch(textOf(page), OVERRIDES, text)
    }

    test('a corpus', async () => {
      // A long address scrolls.
      const long = await pageOf({ ...flavour('prompt'), destination: `https://news.example/${'x'.repeat(300)}` })
      for (const text of HOSTILE_TEXTS) {
        const destination = `https://news.example/${text}?q=${text}#${text}`
        const isLong = parseDestination(destination.toWellFormed())?.rest.length ?? 0
        await assertShown(text, destination, isLong > 200 ? long : benign)
      }
    })

    test('any text', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 20 }), (text) => assertShown(text)),
        { numRuns: 12 },
      )
    })
  })
}

describe('the destination', () => {
  const shownOf = async (destination: string) => {
    const page = await pageOf({ kind: 'warn', ...ack, destination })
    const site = only(page, 'class', 'url')
    const [isolation] = elements(site, 'bdi')
    const [host] = elements(site, 'strong')
    assert.equal(isolation?.attributes.dir, 'ltr')
    const links = attributesOf(page).filter(({ name, value }) => name === 'href' && /^[a-z]+:|^\/\//i.test(value))
    assert.deepEqual(
      links.map(({ element }) => element),
      ['link'],
      'a destination is no link',
    )
    return { text: textOf(site), host: textOf(host ?? assert.fail()), all: JSON.stringify(page) }
  }

  test('shows a lookalike name in its ASCII form, and a backslash as browsers treat it', async () => {
    assert.equal((await shownOf('https://pаypal.example/')).host, 'xn--pypal-4ve.example')
    assert.equal((await shownOf('https://ⓔvil.example/')).host, 'evil.example')
    assert.equal((await shownOf('https://good.example\\@evil.example/')).host, 'good.example')
  })

  test('has its readable form below it, isolated, if that is no lookalike', async () => {
    const linesOf = async (destination: string) =>
      elements(only(await pageOf({ destination }), 'class', 'url'), 'bdi').map(textOf)
    assert.deepEqual(await linesOf('https://новости.example:8443/x'), [
      'https://xn--b1amnebsh.example:8443/x',
      'новости.example',
    ])
    assert.deepEqual(await linesOf('https://xn--pypal-4ve.example/'), ['https://xn--pypal-4ve.example'])
  })

  test('shows nothing of credentials', async () => {
    // Long enough not to occur in a payload or reference by chance.
    const secret = 'zq-credential'
    for (const userinfo of [`anna:${secret}`, secret, `bank.example:${secret}%40`, `${secret}@b:${secret}`]) {
      const { text, host, all } = await shownOf(`https://${userinfo}@news.example/x`)
      assert.deepEqual({ text, host }, { text: 'https://news.example/x', host: 'news.example' })
      assert.ok(!all.includes(secret), userinfo)
    }
  })

  test('cannot change the direction of text', async () => {
    const { text } = await shownOf('https://news.example/\u202etxt\u2069.exe?\u200f#\u2028')
    assert.match(text, /^https:\/\/news\.example\/[\x21-\x7e]+$/)
  })

  // Each malformed address: test/contract/destination.test.ts.
  test('with another scheme than http or https is not shown', async () => {
    for (const destination of [
      'javascript:alert(1)',
      '//news.example/',
      'https:news.example',
      'https://\u202ea b/\n',
    ]) {
      const { status, body } = await exchange(portal, verdictTarget(claims(NOW, { destination })))
      assert.equal(status, 403, destination)
      assert.doesNotMatch(textOf(parsePage(body)), /alert|news\.example/)
    }
  })

  test('is no link with a code field either, before its script makes one, and not of the text', async () => {
    const destination = 'https://anna:zqpass@news.example/"><script>'
    const page = await pageOf({ kind: 'aup', ...ack, override: { type: 'pin' }, shortened: true, destination })
    assert.deepEqual(only(page, 'id', 'go-on').attributes, {
      class: 'primary',
      id: 'go-on',
      hidden: '',
      'data-href': 'https://news.example/%22%3E%3Cscript%3E',
    })
  })
})
