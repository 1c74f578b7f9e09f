// The log: one line of JSON per request, with the verdict's reference and no secrets.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ACK_TOKEN, claims, payloadOf, verdictTarget } from '../../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../../support/portal.ts'
import { cookieSet, exchange, type RequestHeaders } from '../exchange.ts'

const portal = await startPortal(undefined)
after(() => portal.close())

/** The lines that this request produces. */
async function linesOf(from: RunningPortal, target: string, headers: RequestHeaders = {}, method = 'GET') {
  const before = from.logText().length
  await exchange(from, target, headers, method)
  const lines = from.logText().slice(before).split('\n')
  assert.equal(lines.pop(), '', 'the last line is complete')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function lineOf(from: RunningPortal, target: string, headers?: RequestHeaders, method?: string) {
  const lines = await linesOf(from, target, headers, method)
  assert.equal(lines.length, 1)
  const { level, msg, milliseconds, ...said } = lines[0] ?? {}
  assert.deepEqual({ level, msg }, { level: 30, msg: 'request' })
  assert.ok(typeof milliseconds === 'number' && milliseconds >= 0)
  return said
}

describe('one line has the request and its outcome', () => {
  test('a verdict page: its reference, kind and rule', async () => {
    for (const [kind, route] of [
      ['block', '/blocked'],
      ['warn', '/warned'],
      ['aup', '/aup'],
    ] as const) {
      const sealed = claims(NOW, { kind })
      assert.deepEqual(await lineOf(portal, verdictTarget(sealed)), {
        event: 'verdict.shown',
        method: 'GET',
        route,
        status: 200,
        reference: sealed.jti,
        kind,
        rule: sealed.rule_name,
      })
    }
  })
  test('a page that the visitor does not see is not logged as shown', async () => {
    const target = verdictTarget(claims(NOW))
    for (const [headers, method] of [
      [{}, 'HEAD'],
      [{ 'Sec-Purpose': 'prefetch' }, 'GET'],
    ] as const) {
      const { event, status, kind } = await lineOf(portal, target, headers, method)
      assert.deepEqual([event, status, kind], ['request', 200, 'block'])
    }
  })
  test('everything else', async () => {
    const event = 'request'
    const health = { event, method: 'HEAD', route: '/healthz', status: 200 }
    assert.deepEqual(await lineOf(portal, '/healthz', {}, 'HEAD'), health)
    const post = { event, method: 'POST', route: '/privacy', status: 405 }
    assert.deepEqual(await lineOf(portal, '/privacy', {}, 'POST'), post)
    assert.deepEqual(await lineOf(portal, '/locale?set=de&page=privacy'), {
      event,
      method: 'GET',
      route: '/locale',
      status: 303,
    })
  })
})

test('an unknown path is not logged', async () => {
  for (const path of ['/zqpath', '//zq', `/${'zq'.repeat(3000)}`]) {
    const other = { event: 'request', method: 'GET', route: 'other', status: 404 }
    assert.deepEqual(await lineOf(portal, `${path}?zq=%0d%0a`), other)
  }
})

/** Markers in the requests; too long to occur in a random reference by chance. */
const CARRIED = /zq(host|path|query|description|category|token|prompt|other|cookie|code|bearer|referer|agent)/

describe('the log never contains', () => {
  const secrets = {
    destination: 'https://zqhost.example/zqpath?zqquery',
    rule_description: 'zqdescription',
    category: 'zqcategory',
    ack_token: 'zqtoken-zqtoken-zqtoken',
    override: { type: 'passphrase', prompt: 'zqprompt' },
  } as const
  const send = async (from: RunningPortal) => {
    const sealed = claims(NOW, { kind: 'aup', ...secrets })
    const p = payloadOf(sealed)
    const first = await exchange(from, `/aup?p=${p}&v=1&ts=${NOW}`)
    const cookie = cookieSet(first)
    assert.ok(cookie.length > 100)
    const headers = {
      Cookie: `zqother=zqcookie; ${cookie}`,
      'X-Override-Code': 'zqcode',
      Authorization: 'Bearer zqbearer',
      Referer: 'https://zqreferer.example/',
      'User-Agent': 'zqagent',
      'X-Forwarded-For': '203.0.113.77',
    }
    const targets = ['/aup', '/warned', '/locale', '/api/captive/ack', '/privacy', '/nowhere', '/healthz']
    for (const path of targets) await exchange(from, `${path}?p=${p}&v=1&ts=${NOW}`, headers)
    await exchange(from, `/locale?set=de&page=aup&p=${p}&v=1&ts=${NOW}`, headers)
    return { p, cookie: cookie.split('=')[1] as string }
  }

  test('p, codes, cookies, tokens, the destination, the visitor', async () => {
    const { p, cookie } = await send(portal)
    const text = portal.logText()
    assert.doesNotMatch(text, CARRIED)
    assert.doesNotMatch(text, /203\.0\.113/)
    assert.ok(!text.includes(p.slice(-30)) && !text.includes(cookie.slice(0, 30)))
  })

  test('the destination, unless configured, and then without credentials', async (t) => {
    const audited = await startPortal(t, { env: { GATEWAY_CAPTIVE_LOG_DESTINATION: 'true' } })
    await send(audited)
    assert.match(audited.logText(), /"destination":"https:\/\/zqhost\.example\/zqpath\?zqquery"/)
    assert.doesNotMatch(audited.logText(), /zq(cookie|code|token|prompt|agent|bearer)/)
    const withPassword = claims(NOW, { destination: 'https://anna:zqpass@news.example/' })
    const { destination } = await lineOf(audited, verdictTarget(withPassword))
    assert.equal(destination, 'https://news.example/')
  })

  test('any of these after an unexpected error', async (t) => {
    const broken = await startPortal(t, {
      documents: (builtIn) => ({
        ...builtIn,
        en: {
          ...builtIn.en,
          get markup(): never {
            throw new Error('broken on purpose')
          },
        },
      }),
    })
    const target = verdictTarget(claims(NOW, { kind: 'aup', ...secrets, ack_token: ACK_TOKEN }))
    const [fault, request, ...more] = await linesOf(broken, target, { Cookie: 'a=zqcookie' })
    assert.deepEqual({ level: fault?.level, msg: fault?.msg }, { level: 50, msg: 'unexpected error' })
    assert.deepEqual({ status: request?.status, msg: request?.msg }, { status: 500, msg: 'request' })
    assert.deepEqual(more, [])
    assert.doesNotMatch(broken.logText(), CARRIED)
  })
})
