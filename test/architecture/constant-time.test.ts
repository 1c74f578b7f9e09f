// Secrets, tokens and codes are compared in constant time: with equality operators, the time would reveal how much of a
// guess is right.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { equalInConstantTime } from '../../src/engine/constant-time.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = globSync('src/**/*.ts', { cwd: root })

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

test('the comparison function uses timingSafeEqual on hashes of equal length', () => {
  const text = readFileSync(`${root}src/engine/constant-time.ts`, 'utf8')
  assert.match(text, /timingSafeEqual\(hash\('sha256', one, 'buffer'\), hash\('sha256', other, 'buffer'\)\)/)
  assert.ok(equalInConstantTime('grüße', 'grüße'))
  assert.ok(!equalInConstantTime('grüße', 'grüsse'))
  for (const path of ['src/engine/override-code.ts', 'src/engine/control-api/access.ts']) {
    assert.match(readFileSync(root + path, 'utf8'), /equalInConstantTime\(/)
  }
  // Signed cookies are verified by cookie-signature, which does the same.
  assert.match(readFileSync(`${root}node_modules/cookie-signature/index.js`, 'utf8'), /timingSafeEqual/)
})
