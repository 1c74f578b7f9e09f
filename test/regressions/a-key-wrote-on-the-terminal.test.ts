// Seen: `--check` with a policy that has the key `"\u001b[31mx\n  policy.toml: no problems"` printed the escape sequence and the
// line break: a file from somebody else could colour, hide or add lines of what an operator reads. Values were escaped, keys
// were not. A rejected key of a table without fixed keys was reported as "must be Invalid key in record". Since the engine reads
// TOML.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sections } from '../../src/engine/settings/file-shape.ts'
import { rule } from '../../src/engine/settings/rule-shape.ts'
import { readTomlFile } from '../../src/settings/toml-file.ts'

function problemsOf(text: string, parse: (reading: ReturnType<typeof readTomlFile>) => unknown): readonly string[] {
  const reading = readTomlFile({ path: 'p.toml', readFile: () => Buffer.from(text), options: [], secretKeys: [] })
  parse(reading)
  return reading.problems()
}

const LISTENER = 'must not be set: the keys allowed here are listen'

test('a key with an escape sequence and a line break', () => {
  const text = '[ops]\n"\\u001b[31mx\\n  p.toml: no problems\\u202e" = 1\n'
  assert.deepEqual(
    problemsOf(text, ({ parse }) => parse(sections.ops, ['ops'])),
    [`p.toml:1: ops."\\u{1b}[31mx\\u{a}  p.toml: no problems\\u{202e}" ${LISTENER}; it is now a number`],
  )
})

test('a long key is truncated', () => {
  assert.deepEqual(
    problemsOf(`[ops]\n${'k'.repeat(1000)} = 1\n`, ({ parse }) => parse(sections.ops, ['ops'])),
    [`p.toml:2: ops."${'k'.repeat(100)}…" ${LISTENER}; it is now a number`],
  )
})

test('a key that breaks a rule of its table', () => {
  const groups = '[groups]\n"\\u0007" = { users = ["x"] }\n'
  assert.deepEqual(
    problemsOf(groups, ({ parse }) => parse(sections.groups, ['groups'])),
    [
      'p.toml:1: groups."\\u{7}" must have another key: text of 1 to 128 bytes without control characters; it is now a table',
    ],
  )
  const rules = '[[rules]]\nname = "x"\nmatch = ["a.example"]\naction = "block"\ndescriptions = { deutsch = "y" }\n'
  assert.deepEqual(
    problemsOf(rules, ({ parse }) => parse(rule, ['rules', 0])),
    [
      'p.toml:5: rules[1].descriptions.deutsch must have another key: a language tag such as "de" or "pt-BR"; it is now "y"',
    ],
  )
})

test('control: a value was always escaped', () => {
  const text = '[ops]\nlisten = "\\u001b[31mx\\n"\n'
  assert.deepEqual(
    problemsOf(text, ({ parse }) => parse(sections.ops, ['ops'])),
    ['p.toml:2: ops.listen must be HOST:PORT, or empty; it is now "\\u{1b}[31mx\\u{a}"'],
  )
})
