// The help of every verb, and exit codes after misuse.
import assert from 'node:assert/strict'
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

function paths(command: Command, path: readonly string[] = []): (readonly string[])[] {
  return [path, ...command.commands.flatMap((below) => paths(below, [...path, below.name()]))]
}

/** The line continuation in a long example. */
const CONTINUED = / \\\n +/g

const all = paths(createProgram(process as unknown as Context))

test('every verb has help with a purpose, an example of itself and the exit codes', async () => {
  assert.ok(all.length >= 7)
  for (const path of all) {
    const { text, error } = await writtenBy([...path, '--help'])
    assert.ok(error instanceof CommanderError && error.exitCode === 0)
    assert.ok(text.startsWith(`Usage: ${['gatewayctl', ...path].join(' ')} `), text)
    assert.match(text, /\n\n[A-Z].+\.\n/)
    const examples = text.split('Examples:\n')[1]?.split('\n\n')[0]?.replaceAll(CONTINUED, ' ').split('\n') ?? []
    assert.ok(examples.length > 0)
    for (const example of examples) {
      assert.ok(example.replace('(umask 077; ', '').startsWith(`  ${['gatewayctl', ...path].join(' ')}`), example)
    }
    assert.match(text, /Exit codes: 0 .*1 .*2 .*130 /s)
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > 80),
      [],
    )
  }
})

test('every option of an example exists', async () => {
  let options = 0
  for (const path of all) {
    const { text } = await writtenBy([...path, '--help'])
    const examples = text.replaceAll(CONTINUED, ' ').match(/^ {2}(\(umask 077; )?gatewayctl .*/gm) ?? []
    for (const example of examples) {
      const words = (example.replace('(umask 077; ', '').trim().split(' | ')[0] ?? '').split(' ').slice(1)
      const target = all.findLast((other) => other.every((word, at) => words[at] === word)) ?? []
      const help = (await writtenBy([...target, '--help'])).text
      for (const [option] of example.matchAll(/(?<= )--[a-z-]+/g)) {
        assert.match(help, new RegExp(`^ .*${option}\\b`, 'm'), example)
        options++
      }
    }
  }
  assert.ok(options > 0, 'no example has an option')
})

test('aup edit says that the template as it is changes nothing, and what an unchanged text does', async () => {
  const { text } = await writtenBy(['portal', 'aup', 'edit', '--help'])
  assert.match(
    text,
    /An empty text changes nothing, and neither does the template as it is\. Your own\ntext, unchanged, only/,
  )
})

test('misuse exits with 2 and a message', async () => {
  const acceptances = ['portal', 'acceptances']
  const misuse = [
    [],
    ['portal'],
    acceptances,
    ['nonsense'],
    [...acceptances, 'lst'],
    [...acceptances, 'list', '--nonsense'],
    [...acceptances, 'list', 'nonsense'],
    [...acceptances, 'list', '--state', 'lost'],
    [...acceptances, 'list', '--since', '2026-11-20T08:00'],
    [...acceptances, 'list', '--since', '2026-11-21', '--until', '2026-11-21'],
    [...acceptances, 'list', '--limit', '0'],
    [...acceptances, 'list', '--limit', '10001'],
    [...acceptances, 'list', '--database-url', 'sqlite:////x', '--database-url-file', '/x'],
    [...acceptances, 'export', '--format', 'xml'],
    [...acceptances, 'show'],
    [...acceptances, 'show', 'one', 'another'],
    [...acceptances, 'show', 'one', '--jsno'],
    [...acceptances, 'show', 'one', '--json', '--text'],
    [...acceptances, 'prune'],
    [...acceptances, 'prune', '--older-than', '23h'],
    [...acceptances, 'prune', '--older-than', '400d', '--yes', '--dry-run'],
  ]
  for (const args of misuse) {
    const { text, error } = await writtenBy(args)
    const { exitCode, message = '' } = exitOf(error)
    assert.equal(exitCode, 2, `${args}: ${text}${message}`)
    assert.match(text + message, /^(error: |Usage: |--since)/, `${args}`)
  }
})

test('the former name of the group proxy is accepted, and shown nowhere', async () => {
  for (const verb of ['status', 'doctor']) {
    const { status, stdout } = await gatewayctl(['gateway', verb, '--help'])
    assert.equal(status, 0)
    assert.equal(stdout, (await gatewayctl(['proxy', verb, '--help'])).stdout)
    assert.doesNotMatch(stdout, /gatewayctl gateway/)
  }
  assert.equal((await gatewayctl(['gateway', 'nonsense'])).status, 2)
  const { stdout } = await gatewayctl(['--help'])
  assert.match(stdout, /^ {2}proxy /m)
  assert.doesNotMatch(stdout, /^ {2}.*gateway\b/m)
})

test('the process does, too', async () => {
  const [version, help, misuse] = await Promise.all([
    gatewayctlProcess(['--version']),
    gatewayctlProcess(['portal', '--help']),
    gatewayctlProcess(['portal', 'nonsense']),
  ])
  assert.deepEqual(version, { status: 0, stdout: `${packageJson.version}\n`, stderr: '' })
  assert.equal(help.status, 0)
  assert.equal(help.stderr, '')
  assert.deepEqual(misuse, {
    status: 2,
    stdout: '',
    stderr: "error: unknown command 'nonsense'\n(see --help)\n",
  })
})
