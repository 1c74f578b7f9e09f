// The help of every verb, docs/gatewayctl.md, and exit codes after misuse.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Command, CommanderError } from 'commander'
import packageJson from '#package' with { type: 'json' }
import type { Context } from '../../src/gatewayctl/context.ts'
import { exitOf } from '../../src/gatewayctl/failure.ts'
import { createProgram } from '../../src/gatewayctl/program.ts'
import { gatewayctl, gatewayctlProcess } from './gatewayctl.ts'

function writtenBy(args: readonly string[]): Promise<{ text: string; error: unknown }> {
  let text = ''
  const stream = { write: (chunk: string) => (text += chunk), columns: 80 } as unknown as NodeJS.WriteStream
  const context: Context = { env: {}, stdin: process.stdin, stdout: stream, stderr: stream, clock: Date.now }
  return createProgram(context)
    .parseAsync(args, { from: 'user' })
    .then(
      () => ({ text, error: undefined }),
      (error: unknown) => ({ text, error }),
    )
}

/** Commands and groups, by their words. */
function commands(command: Command, words: readonly string[] = ['gatewayctl']): ReadonlyMap<string, Command> {
  const below = command.commands.flatMap((one) => [...commands(one, [...words, one.name()])])
  return new Map([[words.join(' '), command], ...below])
}

/** The line continuation in a long example. */
const CONTINUED = / \\\n +/g

const all = commands(createProgram(process as unknown as Context))
const verbs = [...all].flatMap(([words, one]) => (one.commands.length === 0 ? [words] : []))
const document = readFileSync(new URL('../../docs/gatewayctl.md', import.meta.url), 'utf8')

/** Asserts that the verb of a line, and each of its options, exists. */
function assertExists(line: string): void {
  const [words, verb] = [...all].findLast(([name]) => `${line} `.startsWith(`${name} `)) ?? assert.fail(line)
  for (const [option] of line.slice(words.length).matchAll(/(?<= )--[a-z-]+/g)) {
    assert.ok(option === '--help' || verb.options.some(({ long }) => long === option), line)
  }
}

test('every verb has help with a purpose, an example of itself and the exit codes', async () => {
  assert.ok(all.size >= 7)
  for (const words of all.keys()) {
    const { text, error } = await writtenBy([...words.split(' ').slice(1), '--help'])
    assert.ok(error instanceof CommanderError && error.exitCode === 0)
    assert.ok(text.startsWith(`Usage: ${words} `), text)
    assert.match(text, /\n\n[A-Z].+\.\n/)
    const examples = text.split('Examples:\n')[1]?.split('\n\n')[0]?.replaceAll(CONTINUED, ' ').split('\n') ?? []
    assert.ok(examples.length > 0)
    for (const example of examples) {
      const command = example.replace('(umask 077; ', '').trim().split(' | ')[0] ?? ''
      assert.ok(command.startsWith(words), example)
      assertExists(command)
    }
    assert.match(text, /Exit codes: 0 .*1 .*2 .*130 /s)
    for (const line of text.split('\n')) assert.ok(line.length <= 80, line)
  }
})

test('docs/gatewayctl.md lists every verb, and its commands exist with their options', () => {
  const list = document.slice(0, document.indexOf('\n## '))
  const items = list.match(/^- .*$/gm) ?? []
  // Before a colon: `engine allow`: opens a host; `engine permissions list`, `engine permissions end`: lists them, closes one.
  const named = items.flatMap((item) => item.match(/`[^`]+`(?=(, `[^`]+`)*: )/g) ?? [])
  const listed = named.map((verb) => `gatewayctl ${verb.slice(1, -1)}`)
  assert.deepEqual(listed.toSorted(), verbs.toSorted())

  const lines = document.match(/\bgatewayctl [a-z][^`\n|]*/g) ?? []
  assert.ok(lines.length > 15)
  for (const line of lines) assertExists(line.trim())
})

test('misuse exits with 2 and a message', async () => {
  const acceptances = ['portal', 'acceptances']
  const misuse = [
    [],
    ['portal'],
    ['nonsense'],
    [...acceptances, 'lst'],
    [...acceptances, 'list', '--nonsense'],
    [...acceptances, 'list', 'nonsense'],
    [...acceptances, 'list', '--state', 'lost'],
    [...acceptances, 'list', '--since', '2026-11-20T08'],
    [...acceptances, 'list', '--since', '2026-11-21', '--until', '2026-11-21'],
    [...acceptances, 'list', '--limit', '10001'],
    [...acceptances, 'list', '--database-url', 'sqlite:////x', '--database-url-file', '/x'],
    [...acceptances, 'export', '--format', 'xml'],
    [...acceptances, 'show'],
    [...acceptances, 'show', 'one', 'two'],
    [...acceptances, 'show', 'one', '--json', '--text'],
    [...acceptances, 'prune'],
    [...acceptances, 'prune', '--older-than', '23h'],
    [...acceptances, 'prune', '--older-than', '400d', '--yes', '--dry-run'],
    ['portal', 'preview', '--port', '0'],
    ['portal', 'pac'],
    ['portal', 'doctor', '--connect-https', 'x:99999'],
  ]
  for (const args of misuse) {
    const { text, error } = await writtenBy(args)
    const { exitCode, message = '' } = exitOf(error)
    assert.equal(exitCode, 2, `${args}: ${text}${message}`)
    assert.match(text + message, /^(error: |Usage: |--since)/, `${args}`)
  }
})

test('the former name of the group proxy is accepted, and shown nowhere', async () => {
  const { status, stdout } = await gatewayctl(['gateway', 'doctor', '--help'])
  assert.equal(status, 0)
  assert.equal(stdout, (await gatewayctl(['proxy', 'doctor', '--help'])).stdout)
  assert.doesNotMatch(stdout, /gatewayctl gateway/)
  assert.doesNotMatch((await gatewayctl(['--help'])).stdout, /^ {2}.*gateway\b/m)
})

test('the process does, too', async () => {
  const [version, misuse] = await Promise.all([
    gatewayctlProcess(['--version']),
    gatewayctlProcess(['portal', 'nonsense']),
  ])
  assert.deepEqual(version, { status: 0, stdout: `${packageJson.version}\n`, stderr: '' })
  assert.deepEqual(misuse, {
    status: 2,
    stdout: '',
    stderr: "error: unknown command 'nonsense'\n(see --help)\n",
  })
})
