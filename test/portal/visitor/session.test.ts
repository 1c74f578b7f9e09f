// The signed session cookie: what it stores, for which browser, and how invalid cookies are handled.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../../support/portal.ts'
import { cookieSet, exchange } from '../exchange.ts'

const portal = await startPortal({ after })

const acceptable = (ts = NOW) => verdictTarget(claims(ts, { kind: 'aup', ack_token: ACK_TOKEN }))
const WINDOW = 300
const READING = 15 * 60

async function statusAt(seconds: number, target: string, Cookie?: string): Promise<number> {
  portal.setTime(seconds)
  const { status } = await exchange(portal, target, Cookie === undefined ? {} : { Cookie })
  portal.setTime(NOW)
  return status
}

async function languageOf(from: RunningPortal, Cookie: string): Promise<string | undefined> {
  const { status, headers } = await exchange(from, '/privacy', { Cookie })
  assert.equal(status, 200)
  return headers.get('content-language')
}

describe('a policy that was shown', () => {
  test('is shown again in the same browser for 15 minutes after the window, and in no other', async () => {
    const target = acceptable()
    const cookie = cookieSet(await exchange(portal, target))
    const others = cookieSet(await exchange(portal, acceptable()))
    assert.equal(await statusAt(NOW + WINDOW, target), 200)
    for (const other of [undefined, others]) assert.equal(await statusAt(NOW + WINDOW + 1, target, other), 403)
    assert.equal(await statusAt(NOW + WINDOW + 1, target, cookie), 200)
    assert.equal(await statusAt(NOW + WINDOW + READING, target, cookie), 200)
    assert.equal(await statusAt(NOW + WINDOW + READING + 1, target, cookie), 403)
    assert.equal(await statusAt(NOW - 61, target, cookie), 403, 'a `ts` in the future')
  })

  test('reloading does not extend the time', async () => {
    const target = acceptable()
    const first = cookieSet(await exchange(portal, target))
    portal.setTime(NOW + WINDOW + READING)
    const second = cookieSet(await exchange(portal, target, { Cookie: first }))
    portal.setTime(NOW)
    assert.notEqual(second, '')
    assert.equal(await statusAt(NOW + WINDOW + READING + 1, target, second), 403)
  })

  test('the last four are stored, in a cookie that fits every browser’s limit', async (t) => {
    const longest = await startPortal(t, { env: { PRIVACY_POLICY_VERSION: '🎲'.repeat(100) } })
    const targets = Array.from({ length: 6 }, () => acceptable())
    let cookie = ''
    for (const target of targets) cookie = cookieSet(await exchange(longest, target, { Cookie: cookie }))
    assert.ok(cookie.length < 4000, `${cookie.length} bytes`)
    longest.setTime(NOW + WINDOW + 1)
    const statuses = []
    for (const target of targets) statuses.push((await exchange(longest, target, { Cookie: cookie })).status)
    assert.deepEqual(statuses, [403, 403, 200, 200, 200, 200])
  })

  test('reloading counts once', async () => {
    const [first, second] = [acceptable(), acceptable()] as const
    let cookie = cookieSet(await exchange(portal, first))
    for (let reload = 0; reload < 5; reload++) cookie = cookieSet(await exchange(portal, second, { Cookie: cookie }))
    assert.equal(await statusAt(NOW + WINDOW + 1, first, cookie), 200)
  })

  test('survives a change of the language, and the language survives another policy', async () => {
    const target = acceptable()
    const shown = cookieSet(await exchange(portal, target))
    const change = `/locale?set=de&page=aup&${target.split('?')[1]}`
    const chosen = cookieSet(await exchange(portal, change, { Cookie: shown }))
    assert.equal(await statusAt(NOW + WINDOW + 1, target, chosen), 200)
    const later = cookieSet(await exchange(portal, acceptable(), { Cookie: chosen }))
    assert.equal(await languageOf(portal, later), 'de')
    assert.equal(await statusAt(NOW + WINDOW + 1, target, later), 200)
  })

  test('is stored only if it can be accepted', async () => {
    const code = { ack_token: ACK_TOKEN, override: { type: 'pin' } } as const
    const pages = {
      [verdictTarget(claims(NOW, { kind: 'aup', ...code }))]: true,
      [verdictTarget(claims(NOW, { kind: 'aup' }))]: false,
      [verdictTarget(claims(NOW, { kind: 'warn', ...code }))]: false,
      [verdictTarget(claims(NOW))]: false,
      '/privacy': false,
    }
    for (const [target, remembers] of Object.entries(pages)) {
      const response = await exchange(portal, target)
      assert.equal(response.status, 200)
      assert.equal(response.headers.has('set-cookie'), remembers, target)
    }
  })

  test('does not bring back a warning with the same reference', async () => {
    const policy = claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN })
    const cookie = cookieSet(await exchange(portal, verdictTarget(policy)))
    assert.equal(await statusAt(NOW + WINDOW + 1, verdictTarget({ ...policy, kind: 'warn' }), cookie), 403)
  })
})

describe('an invalid cookie is ignored, and replaced by the next one', () => {
  const chosenBy = async (from: RunningPortal) => cookieSet(await exchange(from, '/locale?set=de&page=privacy'))

  test('during a rotation both keys verify, and the first signs', async (t) => {
    const [old, young] = ['old-session-key-for-the-tests-0123456789', 'new-session-key-for-the-tests-0123456789']
    const before = await startPortal(t, { env: { GATEWAY_CAPTIVE_SECRET_KEY: old } })
    const during = await startPortal(t, { env: { GATEWAY_CAPTIVE_SECRET_KEY: `${young} ${old}` } })
    const behind = await startPortal(t, { env: { GATEWAY_CAPTIVE_SECRET_KEY: young } })
    assert.equal(await languageOf(during, await chosenBy(before)), 'de')
    assert.equal(await languageOf(behind, await chosenBy(during)), 'de')
    assert.equal(await languageOf(behind, await chosenBy(before)), 'en')
  })

  test('forged, truncated, or changed anywhere', async () => {
    const [name, value = ''] = (await chosenBy(portal)).split('=') as [string, string]
    const [payload = '', signature = ''] = decodeURIComponent(value).split('.')
    const italian = Buffer.from('["it",[]]').toString('base64url')
    const text = `${payload}.${signature}`
    const forged = [
      ...['', '%', '%E0%A4%A', '%00', '"', '__proto__', 'x'.repeat(8000)],
      ...[payload, `${payload}.`, `.${signature}`, signature, `${italian}.${signature}`],
      ...[text.slice(0, -1), `${text}A`, `${payload}x.${signature}`, `s:${text}`],
      ...Array.from(text, (one, at) => `${text.slice(0, at)}${one === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`),
    ]
    for (const one of forged) assert.equal(await languageOf(portal, `${name}=${one}`), 'en', one)
    const Cookie = `${name}=${italian}.x`
    const replaced = cookieSet(await exchange(portal, '/locale?set=de&page=privacy', { Cookie }))
    assert.equal(await languageOf(portal, replaced), 'de')
  })

  test('under another name', async () => {
    const [, value] = (await chosenBy(portal)).split('=')
    for (const name of ['gateway-captive', '__Secure-gateway-captive', '__HOST-gateway-captive']) {
      assert.equal(await languageOf(portal, `${name}=${value}`), 'en', name)
    }
  })

  test('whose language is not offered here', async (t) => {
    const fewer = await startPortal(t, {
      env: { GATEWAY_CAPTIVE_LOCALE: 'fr', GATEWAY_CAPTIVE_SUPPORTED_LOCALES: 'fr,it' },
    })
    assert.equal(await languageOf(fewer, await chosenBy(portal)), 'fr')
  })
})

test('it is bound to the host over https, and has its attributes', async (t) => {
  const attributes = async (from: RunningPortal, target: string) => {
    const [pair = '', ...others] = ((await exchange(from, target)).headers.get('set-cookie') ?? '').split('; ')
    return [pair.split('=')[0], ...others.sort()]
  }
  const plain = await startPortal(t, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://localhost' } })
  for (const target of ['/locale?set=de&page=privacy', acceptable()]) {
    const common = ['HttpOnly', 'Path=/', 'SameSite=Lax']
    assert.deepEqual(await attributes(portal, target), ['__Host-gateway-captive', ...common, 'Secure'])
    assert.deepEqual(await attributes(plain, target), ['gateway-captive', ...common])
  }
})
