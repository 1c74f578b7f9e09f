// Compares docs/gatewayctl.md with the program: every verb is in its list, and its commands exist.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Command } from 'commander'
import type { Context } from '../../src/gatewayctl/context.ts'
import { createProgram } from '../../src/gatewayctl/program.ts'

const document = readFileSync(new URL('../../docs/gatewayctl.md', import.meta.url), 'utf8')
const program = createProgram(process as unknown as Context)

/** Verbs, without command groups. */
function verbs(command: Command, path: string): ReadonlyMap<string, Command> {
  if (command.commands.length === 0) return new Map([[path, command]])
  return new Map(command.commands.flatMap((below) => [...verbs(below, `${path} ${below.name()}`)]))
}

const known = verbs(program, 'gatewayctl')

test('the list has every verb, and no other', () => {
  const list = document.slice(0, document.indexOf('\n## '))
  const items = list.match(/^- .*$/gm) ?? []
  // Before a colon: `engine allow`: opens a host; `engine permissions list`, `engine permissions end`: lists them, closes one.
  const named = items.flatMap((item) => item.match(/`[^`]+`(?=(, `[^`]+`)*: )/g) ?? [])
  const listed = named.map((verb) => `gatewayctl ${verb.slice(1, -1)}`)
  assert.deepEqual(listed.toSorted(), [...known.keys()].toSorted())
})

test('every command exists, with its options', () => {
  const commands = document.match(/\bgatewayctl [a-z][^`\n|]*/g) ?? []
  assert.ok(commands.length > 15)
  let options = 0
  for (const command of commands) {
    const [path, verb] = [...known].findLast(([name]) => `${command.trim()} `.startsWith(`${name} `)) ?? []
    assert.ok(path !== undefined && verb !== undefined, command)
    for (const [option] of command.slice(path.length).matchAll(/--[a-z-]+/g)) {
      assert.ok(option === '--help' || verb.options.some(({ long }) => long === option), command)
      options++
    }
  }
  assert.ok(options > 0, 'no command has an option')
})
