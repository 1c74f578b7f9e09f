import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tomlLines } from '../../src/settings/toml-lines.ts'

test('keys of tables and of arrays of tables', () => {
  const find = tomlLines(`top = 1 # first
"quoted" = 2
[control]
listen = "x"
[[rules]] # one
name = "one"
match = [
  "a",
]
description = """
[[rules]]
name = "inside a text"
"""
[rules.override]
type = "pin"
[[rules]]
text = '''one line'''
[ [ odd ] ]
[[ rules ]]
override.code = 1
[groups.staff]
users = []
[groups.students]
file = "x"
`)
  for (const [path, line] of [
    [['top'], 1],
    [['quoted'], 2],
    [['control', 'listen'], 4],
    [['control', 'missing'], 3],
    [['rules', 0, 'match', 0], 7],
    [['rules', 0, 'missing'], 5],
    [['rules', 0, 'override', 'type'], 14],
    [['rules', 1, 'text'], 17],
    [['groups', 'staff', 'users'], 21],
    [['groups', 'students'], 23],
    [['missing', 'key'], undefined],
    [['rules', 7], undefined],
  ] as const) {
    assert.equal(find(path), line, path.join('.'))
  }
})
