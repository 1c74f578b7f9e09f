// The scripts of docs/gatewayctl.md that let teachers create lesson codes and turn on an exam, with a gatewayctl that prints its
// arguments: nobody gets an option of their own past them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blocksRunBy } from '../../deploy/command-blocks.ts'
import { skipWithoutLinux } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('docs/gatewayctl.md: teachers run what the scripts have, and nothing else', { skip: skipWithoutLinux }, (t) => {
  const folder = temporaryFolder(t)
  const [block, ...others] = blocksRunBy(import.meta.filename, 'docs/gatewayctl.md')
  assert.deepEqual(others, [])
  for (const name of ['bin', 'usr/local/sbin', 'etc/sudoers.d']) mkdirSync(join(folder, name), { recursive: true })
  const program = (name: string, script: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  program('gatewayctl', 'printf "<%s>" "$@"')
  program('visudo', 'exit 0')
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, SUDO_USER: 'rossi' }
  const run = (program: string, args: readonly string[]) => spawnSync(program, args, { env, encoding: 'utf8' })
  const installed = run('/bin/sh', [
    '-ec',
    String(block?.text).replaceAll(/ \/(?=usr\/local|etc\/sudoers)/g, ` ${folder}/`),
  ])
  assert.deepEqual([installed.status, installed.stderr], [0, ''])
  const script = (name: string, ...args: readonly string[]) => run(join(folder, 'usr/local/sbin', name), args)

  assert.equal(script('lesson-code', '50').stdout, '<engine><code><new><--rule><videos><--for><50m><--by><rossi>')
  assert.equal(script('exam', '12', 'on').stdout, '<engine><switch><on><exam><--room><12><--for><3h><--by><rossi>')
  assert.equal(script('exam', '12', 'off').stdout, '<engine><switch><off><exam><--room><12>')

  const refused = [
    ...[
      [],
      [''],
      ['0'],
      ['050'],
      ['100'],
      ['5m'],
      ['-1'],
      ['50 --rule games'],
      ['50\n'],
      ['50', '--rule'],
      ['--help'],
    ].map((args) => ['lesson-code', ...args] as const),
    ...[
      [],
      ['12'],
      ['', 'on'],
      ['12', 'x'],
      ['--everyone', 'on'],
      ['12 --everyone', 'on'],
      ['12\n', 'on'],
      ['12:on', 'x'],
    ].map((args) => ['exam', ...args] as const),
    ['exam', '12', 'on', '--everyone'] as const,
    ['exam', '12', 'on --everyone'] as const,
  ]
  for (const [name = '', ...args] of refused) {
    const { status, stdout, stderr } = script(name, ...args)
    assert.deepEqual([status, stdout], [2, ''], `${name} ${JSON.stringify(args)}`)
    assert.match(stderr, /^Usage: sudo /)
  }

  const [sudoers] = [join(folder, 'etc/sudoers.d/teachers')]
  assert.equal(statSync(sudoers).mode & 0o777, 0o440)
  assert.doesNotMatch(readFileSync(sudoers, 'utf8'), /\*|gatewayctl/)
})
