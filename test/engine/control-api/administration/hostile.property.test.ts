// Whatever an administration call gets, it answers with a result or a problem document, never with 500.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HOSTILE_RULE, HOSTILE_USER } from '../../../support/hostile.ts'
import { propertyRuns } from '../../../support/property-runs.ts'
import { type RunningEngine, startEngine } from '../../running-engine.ts'
import { FILES, RULES } from './policy.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    ...['', '*', '.', '..', '%', "' or 1=1 --", '\u0000', '\ud800', '\u202e', 'news', HOSTILE_RULE, HOSTILE_USER],
    ...['198.51.100.7', '::1', '::ffff:1.2.3.4', 'fe80::1%x', '2001:db8::/64', '1.2.3.4/64', '999.1.1.1'],
    ...[
      'https://adult.example/',
      'https://[::1]/',
      'http://1.2.3.4:99999/',
      'https://a\\b/',
      `https://${'a.'.repeat(130)}x/`,
    ],
    ...[
      '2026-11-20T08:00Z',
      '9999-12-31T23:59:59Z',
      '1970-01-01T00:00Z',
      '2026-13-01T00:00Z',
      '2026-11-20T08:00+99:99',
    ],
    ...['adult.example', '.adult.example', 'xn--', 'xn--a', '[::1]', 'a'.repeat(300)],
  ),
)
const value = fc.oneof({ weight: 4, arbitrary: hostile }, { weight: 1, arbitrary: fc.jsonValue() })
const members = ['url', 'client', 'user', 'method', 'at', 'reference', 'rule', 'all', 'limit', 'host', 'minutes', 'by']
const body = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.dictionary(fc.constantFrom(...members, '__proto__', 'constructor'), value, { maxKeys: 4 }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
)
const CALLS = [
  ...['status', 'why', 'sessions/list', 'sessions/end', 'lockouts/list', 'lockouts/end'],
  ...['permissions/allow', 'permissions/list', 'permissions/end'],
]

test('any body gets a result or a problem document', async (t) => {
  const engine: RunningEngine = await startEngine(t, RULES, { files: FILES })
  let results = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CALLS), body, async (call, given) => {
      const { status, headers, json } = await engine.administer(call, given as object)
      assert.ok([200, 400, 404].includes(status), `${status}`)
      const type = status === 200 ? 'application/json' : 'application/problem+json'
      assert.equal(headers['content-type'], type)
      if (status === 200) results += 1
      else assert.ok(String(json.detail).length < 400, String(json.detail))
    }),
    propertyRuns(1500),
  )
  assert.ok(results > 5, `${results} of the bodies were accepted`)
  assert.ok(!engine.logText().includes('unexpected error'))
})

test('`why` names the rule that the decision names, and so does the reference', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  const host = fc.constantFrom(
    'adult.example',
    'news.example',
    'evil.example',
    'games.example',
    'a.bank.example',
    'x.example',
  )
  const url = fc
    .tuple(fc.constantFrom('', 'www.', 'a.b.'), host, fc.webPath())
    .map((parts) => `https://${parts.join('')}`)
  const user = fc.constantFrom(undefined, 'anna', HOSTILE_USER)
  await fc.assert(
    fc.asyncProperty(url, user, fc.integer({ min: 0, max: 86_400 }), async (url, user, seconds) => {
      engine.pass(seconds)
      const client = '198.51.100.7'
      const decided = (await engine.decide(url, client, user)).json
      const why = (await engine.administer('why', { url, client, user })).json
      assert.equal(why.verdict, decided.verdict)
      if (decided.verdict === 'allow') return
      assert.equal((why.rule as { name: string }).name, decided.rule)
      const later = (await engine.administer('why', { reference: decided.reference })).json
      assert.deepEqual([later.request, later.verdict, later.rule], [why.request, why.verdict, why.rule])
    }),
    propertyRuns(300),
  )
})
