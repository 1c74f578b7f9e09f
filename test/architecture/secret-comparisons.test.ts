// Whether a token, code or signature is right is decided by `timingSafeEqual` alone, at every door: no shortcut accepts or
// rejects a guess before it, or without it. With equality operators, the time would reveal how much of a guess is right: none in
// the sources compares a secret.
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Exchange } from '../../src/portal/http/exchange.ts'
import { createSessions } from '../../src/portal/visitor/session.ts'
import { ask } from '../engine/icap/icap-client.ts'
import { reqmod, TOKEN } from '../engine/icap/messages.ts'
import { startIcap } from '../engine/icap/running-icap.ts'
import { API_TOKEN, policy, startEngine } from '../engine/running-engine.ts'

const ADMIN_TOKEN = 'admin-token-for-the-tests'
const CODES = ['274913', '519074', '803617']
const RULES = `
  [[rules]]
  name = "video"
  match = ["video.example"]
  action = "warn"
  override = { type = "pin", codes = [${CODES.map((code) => `{ code = "${code}" }`).join()}] }
`

interface Door {
  readonly right: readonly string[]
  readonly wrong: readonly string[]
  readonly accepts: (secret: string) => Promise<boolean>
}

/** Guesses of which a prefix is right, or that differ in their length. */
const guessesFor = (secret: string) => [
  `${secret.slice(0, -1)}~`,
  `~${secret.slice(1)}`,
  secret.slice(0, 8),
  `${secret}x`,
]

/**
 * Runs it while comparisons give this verdict, after the first ones; undefined: their own.
 * @returns its result, and the number of comparisons
 */
async function comparing<T>(verdict: boolean | undefined, work: () => Promise<T>, honest = 0) {
  const original = crypto.timingSafeEqual
  let comparisons = 0
  crypto.timingSafeEqual = (one, other) => {
    comparisons++
    const isEqual = original(one, other)
    return comparisons <= honest ? isEqual : (verdict ?? isEqual)
  }
  syncBuiltinESMExports()
  try {
    return { result: await work(), comparisons }
  } finally {
    crypto.timingSafeEqual = original
    syncBuiltinESMExports()
  }
}

describe('constant time', async () => {
  const control = `api_token = "${API_TOKEN}"\nadmin_token = "${ADMIN_TOKEN}"`
  const engine = await startEngine({ after }, policy(RULES, '', control))
  const icap = await startIcap({ after })
  const json = { 'content-type': 'application/json' }
  const post = async (path: string, token: string, body: object) => {
    const headers = { ...json, authorization: `Bearer ${token}` }
    return (await engine.ask('POST', path, headers, JSON.stringify(body))).status === 200
  }
  const sessions = createSessions({
    secure: true,
    locales: { supported: ['de', 'en'], default: 'en' } as never,
    secrets: ['x'.repeat(32)],
  })
  const cookie = sessions.cookie({ locale: 'de', shown: [] }).split(';')[0] ?? ''
  const isRead = async (sent: string) => sessions.read({ headers: { cookie: sent } } as Exchange).locale === 'de'

  const doors: Readonly<Record<string, Door>> = {
    'the API token': {
      right: [API_TOKEN],
      wrong: guessesFor(API_TOKEN),
      accepts: (token) => post('/api/decision', token, { url: 'https://a.example/', client: '198.51.100.7' }),
    },
    'the administration token': {
      right: [ADMIN_TOKEN],
      wrong: guessesFor(ADMIN_TOKEN),
      accepts: (token) => post('/api/admin/status', token, {}),
    },
    'the ICAP token': {
      right: [TOKEN],
      wrong: guessesFor(TOKEN),
      accepts: async (token) => {
        const identity = [`X-Engine-Token: ${token}`, 'X-Client-IP: 198.51.100.7']
        return (await ask(icap.port, reqmod({ identity })))[0]?.status === 200
      },
    },
    'the session cookie': {
      right: [cookie],
      // The length of a signature is no secret.
      wrong: [cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')), cookie.replace(/\.(.)/, '.~')],
      accepts: isRead,
    },
  }
  for (const [name, { right, wrong, accepts }] of Object.entries(doors)) {
    test(name, async () => {
      for (const [secrets, isRight] of [
        [right, true],
        [wrong, false],
      ] as const) {
        for (const secret of secrets) {
          for (const verdict of [undefined, true, false]) {
            const { result, comparisons } = await comparing(verdict, () => accepts(secret))
            assert.equal(result, verdict ?? isRight, `${secret}, comparisons give ${verdict ?? 'their own result'}`)
            assert.ok(comparisons > 0)
          }
        }
      }
    })
  }

  test('the codes of a rule: each of them is compared, whichever is right', async () => {
    const isRight = async (code: string, client: number, verdict?: boolean) => {
      const query = await engine.verdict('https://video.example/', `198.51.100.${client}`)
      // The token is compared first.
      const { comparisons, result } = await comparing(verdict, () => engine.acknowledge(query, code), 1)
      assert.equal(comparisons, 1 + CODES.length, code)
      return result.status === 302
    }
    const wrong = ['274914', '174913', '2749', '2749131']
    for (const [index, code] of [...CODES, ...wrong].entries()) {
      assert.equal(await isRight(code, index), CODES.includes(code), code)
      assert.equal(await isRight(code, 50 + index, false), false, code)
      assert.equal(await isRight(code, 100 + index, true), true, code)
    }
  })
})

/** Names of secret values. */
const SECRET_NAME = /(secret|token|passphrase|password|signature|apiKey|overrideCode|^code|^pin)s?$/i
/** Literals: the comparison checks presence or type, not a guess. */
const HARMLESS = /^(undefined|null|true|false|['"`\d].*)$/
const OPERAND = /[A-Za-z_$'"`\d][\w$.?!'"`]*(?:\([^()]*\)[\w$.]*)*/.source
const COMPARISON = new RegExp(`(${OPERAND}) (?:===|!==|==|!=) (${OPERAND})`, 'g')
/** Comparisons without input from a visitor or a client. */
const EXEMPT: readonly string[] = [
  // The preview has no secrets: its page shows its codes.
  'src/portal/preview/preview-engine.ts: overrideCode === LOCKING_CODE',
  // The operator's own files, read twice.
  'src/gatewayctl/secret/rotate.ts: secrets.join() !== secrets.join()',
]

/** `code` for `override.code.normalize('NFC')`. */
function nameOf(operand: string): string {
  const value = operand.replace(/\.\w+\([^()]*\)$/, '')
  return value.split('.').at(-1) ?? ''
}

function comparisonsOf(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  return [...code.matchAll(COMPARISON)].flatMap(([expression, left = '', right = '']) => {
    const isHarmless = HARMLESS.test(left) || HARMLESS.test(right) || code.includes(`typeof ${expression}`)
    return !isHarmless && [left, right].some((side) => SECRET_NAME.test(nameOf(side))) ? [expression] : []
  })
}

test('no secret, token or code is compared by an equality operator', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const files = globSync('src/**/*.ts', { cwd: root })
  assert.ok(files.length > 200)
  const found = files.flatMap((path) =>
    comparisonsOf(readFileSync(root + path, 'utf8')).map((expression) => `${path}: ${expression}`),
  )
  assert.deepEqual(
    found.filter((one) => !EXEMPT.includes(one)),
    [],
  )
})

test('the search finds such a comparison', () => {
  for (const expression of [
    'token === apiToken',
    "code.normalize('NFC') === override.code",
    'given.ackToken != wanted',
  ]) {
    assert.deepEqual(comparisonsOf(`if (${expression}) go()`), [expression])
  }
  assert.deepEqual(comparisonsOf("if (token !== undefined && type === 'pin') go()"), [])
})
