// Error pages never reflect any part of the request, and say what to do and whom to tell.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { brokenDocument, NOW, startPortal } from '../../support/portal.ts'
import { exchange, type RequestHeaders } from '../exchange.ts'
import { elements, parsePage, textOf } from '../markup.ts'

const portal = await startPortal({ after }, { documents: brokenDocument('en', 'zqmarker of the portal') })

const XSS = '%22%3E%3Cscript%3Ezqmarker%3C/script%3E'
const RAW = '"><script>zqmarker</script>'
const hostile: RequestHeaders = {
  'User-Agent': RAW,
  Referer: `https://zqmarker.example/${XSS}`,
  Cookie: `__Host-gateway-captive=${XSS}; zqmarker=${XSS}`,
  'X-Forwarded-Host': 'zqmarker.example',
  'X-Forwarded-Proto': RAW,
  Forwarded: 'host=zqmarker.example',
  Origin: 'https://zqmarker.example',
  'Accept-Language': `${RAW}, en`,
  'X-Override-Code': 'zqmarker',
  'X-Zqmarker': RAW,
}
const marked = claims(NOW, {
  rule_name: RAW,
  rule_description: RAW,
  category: RAW,
  destination: 'https://zqmarker.example/',
})
const refused: Readonly<Record<string, readonly [status: number, target: string, method?: string]>> = {
  '400 malformed': [400, `/blocked?p=${XSS}&v=1&ts=${XSS}`],
  '400 another version': [400, `/blocked?p=${XSS}&v=99&ts=${NOW}`],
  '400 locale': [400, `/locale?set=${XSS}&page=${XSS}`],
  '403 invalid': [403, `/blocked?p=${XSS}&v=1&ts=${NOW}`],
  '403 of another kind': [403, verdictTarget(marked).replace('/blocked', '/warned')],
  '403 expired': [403, verdictTarget({ ...marked, ts: NOW - 301 })],
  '404 a path': [404, `/${XSS}?${XSS}`],
  '400 absolute-form': [400, `http://zqmarker.example/${XSS}`],
  '404 acknowledgements off': [404, `/api/captive/ack?p=${XSS}&v=1&ts=${NOW}`],
  '405 a method': [405, `/blocked?${XSS}`, 'POST'],
  '414 too long': [414, `/blocked?p=${XSS}${'A'.repeat(7500)}&v=1&ts=${NOW}`],
  '500 a fault': [500, verdictTarget({ ...marked, kind: 'aup', ack_token: ACK_TOKEN })],
}

describe('nothing is reflected', () => {
  for (const [name, [status, target, method]] of Object.entries(refused)) {
    test(name, async () => {
      const response = await exchange(portal, target, { ...hostile, Host: 'zqmarker.example' }, method)
      assert.equal(response.status, status)
      assert.doesNotMatch(response.body, /zqmarker|[Ee]rror:|\.ts:\d/)
      assert.doesNotMatch([...response.headers].join('\n'), /zqmarker/i)
    })
  }
  for (const destination of ['iframe', 'empty', 'image']) {
    test(`403 for ${destination}`, async () => {
      const { status, body, headers } = await exchange(portal, verdictTarget(marked), {
        ...hostile,
        'Sec-Fetch-Dest': destination,
      })
      assert.equal(status, 403)
      assert.doesNotMatch(body + [...headers].join('\n'), /zqmarker/i)
    })
  }
})

test('an error page has a language menu, unless the language has been chosen before or a request is not repeatable', async () => {
  const menus = new Map<string, boolean>()
  for (const [name, [status, target, method]] of Object.entries(refused)) {
    const response = await exchange(portal, target, {}, method)
    assert.equal(response.status, status)
    menus.set(name, response.body.includes('href="/locale?set=de&amp;page='))
  }
  assert.equal(menus.get('400 malformed'), true)
  assert.equal(menus.get('404 acknowledgements off'), false)
  const german = await exchange(portal, '/nowhere?lang=de')
  assert.match(german.body, /<html lang="de">/)
})

test('an error page gives one piece of advice, then whom to tell; only the latter if nothing else helps', async () => {
  const advice = 'Go to the website directly instead of using a copied or saved link.'
  const operator = 'your network administrator'
  for (const [name, expected] of [
    ['400 malformed', `${advice} If this keeps happening, contact ${operator}.`],
    ['400 another version', `Please tell ${operator}.`],
    ['404 acknowledgements off', `Please tell ${operator}.`],
  ] as const) {
    const [, target] = refused[name] ?? assert.fail(name)
    const { body } = await exchange(portal, target)
    const paragraphs = elements(parsePage(body), 'p').map(textOf)
    assert.deepEqual(
      paragraphs.filter((paragraph) => paragraph.includes(operator)),
      [expected],
    )
  }
})

test('where only the operator can help, the button leads there; without an address it leads back', async (t) => {
  const choiceOf = (body: string) =>
    elements(parsePage(body), 'div').filter(({ attributes }) => attributes.class === 'choice')
  const env = { GATEWAY_CAPTIVE_SUPPORT_URL: 'mailto:helpdesk@example.org' }
  const withSupport = await startPortal(t, { env })
  for (const name of ['400 another version', '404 acknowledgements off']) {
    const [, target] = refused[name] ?? assert.fail(name)
    for (const [asked, expected] of [
      [portal, 'Go back'],
      [withSupport, 'Contact support'],
    ] as const) {
      const { body } = await exchange(asked, target)
      assert.deepEqual(choiceOf(body).map(textOf), [expected], name)
      assert.equal(body.includes('id="status"'), asked === portal, name)
    }
  }
})
