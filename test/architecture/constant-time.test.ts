// Secrets, tokens and codes are compared in constant time: with equality operators, the time would reveal how much of a
// guess is right. This searches the sources; test/architecture/secret-comparisons.test.ts shows it at each door.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

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
