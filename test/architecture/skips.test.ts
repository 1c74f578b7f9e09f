// A test is skipped only by what `skipUnless` returns, so that with REQUIRE_ALL=1 nothing is left out without an error.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = globSync('{test,checks}/**/*.ts', { cwd: root }).filter(
  (path) => path !== 'test/architecture/skips.test.ts',
)

/** Values of `skip`: results of `skipUnless` by their names, whose strings are arguments, and conditions before them. */
const VALUE = /\bskip(?:: (?!string)|\w* =(?![=>]))\s*/g
const ALLOWED = /^(?:false|!?\(?(?:is[A-Z]\w*|skip\w*|no[A-Z]\w*|\w+\.skip)\)?)$/
const FORBIDDEN = [
  /\b(?:test|it|describe|suite|t|context)\.(?:skip|todo|only)\b/g,
  /\b(?:todo|only): (?:true|')/g,
  /\bif \([^\n]*\bskip\w*\b[^\n]*\) (?:return|continue)\b/g,
]
/** A hook of a suite that is skipped. */
const EXEMPT = ['checks/gateway/doctor.test.ts: if (skipWithoutGateway) return']

/** The expression that begins there, without the arguments of calls of `skipUnless`. */
function expressionAt(text: string, from: number): string {
  let depth = 0
  let found = ''
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string
    if (depth === 0 && /[,}\n)]/.test(character)) {
      // A line that ends in an operator continues.
      if (character !== '\n' || !/(?:\|\||&&|=|\?|:)\s*$/.test(found)) break
    }
    if (character === '(') depth++
    if (depth === 0 || !found.endsWith('skipUnless')) found += character
    if (character === ')') depth--
  }
  return found.trim()
}

function findings(text: string): string[] {
  const bad = FORBIDDEN.flatMap((form) => Array.from(text.matchAll(form), ([found]) => found))
  for (const match of text.matchAll(VALUE)) {
    const expression = expressionAt(text, match.index + match[0].length)
    const parts = expression.split(/\s*(?:\|\||&&)\s*/)
    if (!parts.every((part) => ALLOWED.test(part))) bad.push(`${match[0].trim()} ${expression}`)
  }
  return bad
}

test('no test is skipped in another way', () => {
  assert.ok(files.length > 300)
  const found = files.flatMap((path) => findings(readFileSync(root + path, 'utf8')).map((one) => `${path}: ${one}`))
  assert.deepEqual(
    found.filter((one) => !EXEMPT.includes(one)),
    [],
  )
})

test('the search finds other ways, and accepts those that are right', () => {
  for (const bad of [
    "test('a', { skip: onTmpfs(tmpdir()) && 'in memory' }, () => {})",
    "const skip = !has('docker') && 'needs docker'",
    "const skipHere =\n  process.platform === 'linux' ? false : 'elsewhere'",
    "if (postgres.skip) return t.skip('there is none')",
    'if (name !== x || skip) continue',
    "test.skip('a', () => {})",
    "test('a', { todo: true }, () => {})",
  ]) {
    assert.notDeepEqual(findings(bad), [], bad)
  }
  for (const good of [
    "test('a', { skip: skipWithoutNginx }, () => {})",
    "describe('a', { skip: isNamed && skipWithoutStream, timeout: 1 }, () => {})",
    "const skip =\n  skipWithoutLinux ||\n  skipUnless(has('a') && has('b'), 'needs a, b') ||\n  postgres.skip\n",
    'for (const { name, skip } of databases) describe(name, { skip }, () => {})',
  ]) {
    assert.deepEqual(findings(good), [], good)
  }
})
