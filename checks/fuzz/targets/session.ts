// The Cookie header: ignored without our signature; with it, any content (such as an older version's) yields a session
// that fits into a cookie and is read back unchanged.
import assert from 'node:assert/strict'
import { sign } from 'cookie-signature'
import type { Exchange } from '../../../src/portal/http/exchange.ts'
import { createSessions } from '../../../src/portal/visitor/session.ts'
import { SESSION_KEY } from '../../../test/support/payloads.ts'
import type { Target } from '../target.ts'

const locales = { default: 'en', supported: ['en', 'fr', 'de', 'it'] } as const
const sessions = createSessions({ secure: true, locales, secrets: [SESSION_KEY] })
const read = (cookie: string) => sessions.read({ headers: { cookie } } as unknown as Exchange)
const kept = ['AAAAAAAAAAAAAAAAAAAAAA', 'de', 'a'.repeat(64), '2026-11-20']
const genuine = [sessions.cookie({ locale: 'de', shown: [] }), sessions.cookie({ locale: undefined, shown: [] })].map(
  (cookie) => cookie.split(';')[0] as string,
)

export const session: Target = {
  name: 'session',
  seeds: [
    ...genuine,
    `a=b; ${genuine[0]}`,
    JSON.stringify(['de', [kept]]),
    JSON.stringify([null, [kept, kept, kept, kept, kept]]),
  ],
  tokens: ['; ', ...'__Host-gateway-captive= = . % " null [] [" "de" {} __proto__'.split(' '), ...genuine],
  run(input) {
    const text = input.toString('latin1')
    const { locale, shown } = read(text)
    const isOurs = genuine.some((cookie) => text.includes(cookie.split('=')[1] as string))
    if (!isOurs) assert.ok(locale === undefined && shown.length === 0, 'forged')

    const value = sign(input.toString('base64url'), SESSION_KEY)
    const signed = read(`__Host-gateway-captive=${encodeURIComponent(value)}`)
    assert.ok(signed.shown.length <= 4)
    const [pair = ''] = sessions.cookie(signed).split(';')
    assert.match(pair, /^__Host-gateway-captive=[\x21-\x7e]+$/)
    assert.deepEqual(read(pair), signed)
  },
}
