// Text from rules and addresses stays text: it never becomes an element, attribute or link.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import type { VerdictClaims, VerdictKind } from '../../../src/contract/verdict.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { attributesOf, type Element, elements, only, parsePage, skeleton, textOf } from '../markup.ts'

const portal = await startPortal(undefined)
after(() => portal.close())

/** Every variant of every page that shows claims, with a prompt if it has a code field. */
const flavours: Readonly<Record<string, (prompt: string) => Partial<VerdictClaims> & { kind: VerdictKind }>> = {
  block: () => ({ kind: 'block' }),
  'block, shortened': () => ({ kind: 'block', shortened: true }),
  'warn, terminal': () => ({ kind: 'warn' }),
  'warn with a link': () => ({ kind: 'warn', ack_token: ACK_TOKEN }),
  'warn with a PIN': (prompt) => ({ kind: 'warn', ack_token: ACK_TOKEN, override: { type: 'pin', prompt } }),
  'aup, terminal': () => ({ kind: 'aup' }),
  'aup with a link': () => ({ kind: 'aup', ack_token: ACK_TOKEN }),
  'aup with a passphrase, shortened': (prompt) => ({
    kind: 'aup',
    ack_token: ACK_TOKEN,
    override: { type: 'passphrase', prompt },
    shortened: true,
  }),
}

const CORPUS = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</style><svg/onload=alert(1)>',
  '"><img src=x onerror=alert(1)>',
  "'><img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)',
  "' autofocus onfocus='alert(1)",
  '<svg><animate onbegin=alert(1)>',
  '<iframe srcdoc="&lt;script&gt;alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '<!--><script>alert(1)</script>-->',
  '<![CDATA[<b>]]>',
  '</bdi></p></main><form action=//evil.example>',
  '&lt;b&gt;&amp;&#60;script&#62;&quot;&apos;&notanentity;&',
  'javascript&#x3a;alert(1)',
  '{{7*7}}\x24{7*7}<%= 7*7 %>#{7*7}`\x24{1}`',
  '\u202egnp.exe\u2066\u2067\u2069\u2069\u202c',
  'line\u2028separator\u2029paragraph\u0085next',
  'tab\tfeed\nreturn\r\0null\u0007bell\u001b[31m\u007f',
  'p\u0430ypal \u200b\ufeff\u00ad ﷽ 𝕏 e\u0301\u0301\u0301',
  '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
]

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
  describe(name, async () => {
    const benign = await pageOf(flavour('prompt'))

    test('hostile claims add no element or attribute, and are shown unchanged, isolated', async () => {
      for (const text of CORPUS) {
        const changes = flavour(`zqp ${text}`)
        const page = await pageOf({
          ...changes,
          rule_name: `zqn ${text}`,
          rule_description: `zqd ${text}`,
          category: `zqc ${text}`,
          destination: `https://news.example/${text}?q=${text}#${text}`.replace(/[\0-\x1f\x7f]/g, ''),
        })
        assert.equal(skeleton(page), skeleton(benign), text)
        for (const mark of ['zqn', 'zqd', 'zqc', ...(changes.override ? ['zqp'] : [])]) {
          assert.equal(occurrences(page, `${mark} ${text}`), 1, `${mark} ${text}`)
        }
      }
    })

    test('so is any other text', async () => {
      const text = fc.string({ unit: 'binary', maxLength: 20 })
      await fc.assert(
        fc.asyncProperty(text, text, text, text, async (rule, description, category, prompt) => {
          const page = await pageOf({
            ...flavour(`zqp${prompt}`),
            rule_name: `zqn${rule}`,
            rule_description: `zqd${description}`,
            category: `zqc${category}`,
          })
          assert.equal(skeleton(page), skeleton(benign))
          assert.equal(occurrences(page, `zqn${rule}`.toWellFormed()), 1)
        }),
        { numRuns: 12 },
      )
    })
  })
}

test('a lone surrogate becomes a replacement character', async () => {
  for (const surrogate of ['\ud800', '\udfff', '\udc00\ud800']) {
    const hostile = `a${surrogate}b`
    const page = await pageOf({ rule_name: hostile, rule_description: hostile, category: hostile })
    assert.equal(occurrences(page, hostile.toWellFormed()), 3)
  }
})

describe('the destination', () => {
  const shownOf = async (destination: string) => {
    const page = await pageOf({ kind: 'warn', ack_token: ACK_TOKEN, destination })
    const [site] = elements(page, 'p').filter(({ attributes }) => attributes.class === 'url')
    const [isolation] = site === undefined ? [] : elements(site, 'bdi')
    assert.ok(site && isolation)
    assert.equal(isolation.attributes.dir, 'ltr')
    const [host] = elements(site, 'strong')
    assert.ok(host)
    const links = attributesOf(page).filter(({ name, value }) => name === 'href' && /^[a-z]+:|^\/\//i.test(value))
    assert.deepEqual(
      links.map(({ element }) => element),
      ['link'],
      'a destination is no link',
    )
    return { text: textOf(site), host: textOf(host), all: JSON.stringify(page) }
  }

  test('shows a lookalike name in its ASCII form', async () => {
    assert.equal((await shownOf('https://pаypal.example/')).host, 'xn--pypal-4ve.example')
    assert.equal((await shownOf('https://ⓔvil.example/')).host, 'evil.example')
  })

  test('shows nothing of credentials', async () => {
    // Long enough not to occur in a payload or reference by chance.
    const secret = 'zq-credential'
    for (const userinfo of [
      `anna:${secret}`,
      secret,
      `:${secret}`,
      `bank.example:${secret}%40`,
      `${secret}@b:${secret}`,
    ]) {
      const { text, host, all } = await shownOf(`https://${userinfo}@news.example/x`)
      assert.deepEqual({ text, host }, { text: 'https://news.example/x', host: 'news.example' })
      assert.ok(!all.includes(secret), userinfo)
    }
  })

  test('cannot change the direction of text', async () => {
    const { text } = await shownOf('https://news.example/\u202etxt\u2069.exe?\u200f#\u2028')
    assert.match(text, /^https:\/\/news\.example\/[\x21-\x7e]+$/)
  })

  test('treats a backslash as browsers do', async () => {
    const { host } = await shownOf('https://good.example\\@evil.example/')
    assert.equal(host, 'good.example')
  })

  test('with another scheme than http or https is not shown', async () => {
    const addresses = [
      'javascript:alert(1)',
      'JaVaScRiPt://news.example/%0aalert(1)',
      'java\tscript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:msgbox(1)',
      'file:///etc/passwd',
      'ftp://news.example/',
      'blob:https://news.example/1',
      '//news.example/',
      '/blocked',
      'https:news.example',
      'https:/news.example',
      'https:///news.example',
      'https:\\\\news.example',
      'https://',
      'https://?x',
      'https://a b.example/',
      ' https://news.example/',
      'https://news.example:99999/',
      'https://\u202enews.example/\n',
    ]
    for (const destination of addresses) {
      const { status, body } = await exchange(portal, verdictTarget(claims(NOW, { destination })))
      assert.equal(status, 403, destination)
      assert.doesNotMatch(textOf(parsePage(body)), /alert|news\.example|passwd/)
    }
  })

  test('is no link with a code field either, before its script makes one, and not of the text', async () => {
    for (const kind of ['warn', 'aup'] as const) {
      const page = await pageOf({
        kind,
        ack_token: ACK_TOKEN,
        override: { type: 'pin' },
        shortened: true,
        destination: 'https://anna:zqpass@news.example/"><script>',
      })
      assert.deepEqual(only(page, 'id', 'go-on').attributes, {
        class: 'primary',
        id: 'go-on',
        hidden: '',
        rel: 'noreferrer',
        'data-href': 'https://news.example/%22%3E%3Cscript%3E',
      })
      const [isolation] = elements(only(page, 'class', 'url'), 'bdi')
      assert.equal(isolation && textOf(isolation), 'https://news.example/%22%3E%3Cscript%3E')
    }
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
})
