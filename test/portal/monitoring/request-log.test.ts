// What the log never contains. Each event and its line: audit-log.test.ts.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ACK_TOKEN, claims, payloadOf, verdictTarget } from '../../support/payloads.ts'
import { brokenDocument, NOW, type RunningPortal, startPortal } from '../../support/portal.ts'
import { cookieSet, exchange } from '../exchange.ts'

const portal = await startPortal({ after })

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
    await exchange(audited, verdictTarget(withPassword))
    assert.equal(audited.logged().at(-1)?.destination, 'https://news.example/')
  })

  test('any of these after an unexpected error', async (t) => {
    const broken = await startPortal(t, { documents: brokenDocument('en', 'broken on purpose') })
    const target = verdictTarget(claims(NOW, { kind: 'aup', ...secrets, ack_token: ACK_TOKEN }))
    await exchange(broken, target, { Cookie: 'a=zqcookie' })
    const [fault, request, ...more] = broken.logged()
    assert.deepEqual({ level: fault?.level, msg: fault?.msg }, { level: 50, msg: 'unexpected error' })
    assert.deepEqual({ status: request?.status, msg: request?.msg }, { status: 500, msg: 'request' })
    assert.deepEqual(more, [])
    assert.doesNotMatch(broken.logText(), CARRIED)
  })
})
