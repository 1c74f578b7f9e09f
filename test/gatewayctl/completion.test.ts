// `completion`, run in the shells themselves.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { hasCommand, skipUnless } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { gatewayctl } from './gatewayctl.ts'

const skipWithoutBash = skipUnless(hasCommand('bash'), 'needs bash: apt-get install bash')
const skipWithoutZsh = skipUnless(hasCommand('zsh'), 'needs zsh: apt-get install zsh')

/** The line, with an unfinished last word; expected completions; and unwanted ones. */
const LINES: readonly (readonly [line: string, offered: string, not: string])[] = [
  ['', 'portal proxy secret completion --version --help', 'ca gateway --json'],
  ['portal ', 'acceptances ca pac doctor --help', 'portal new'],
  ['portal ca ', '--json --pem --next --help', 'ca --limit'],
  ['portal acceptances list --state ', 'pending accepted refused unknown', '--json'],
  ['portal acceptances list --rule show ', '--state --json', '--text'],
  ['engine sessions end ', '--rule --client --user --all --json --engine', '--limit'],
  ['secret rotate --file ', 'shared-secret', '--finish'],
  ['secret rotate --file shared-secret ', '--finish --show-new', 'shared-secret'],
  ['completion ', 'bash zsh', 'portal'],
]

const OPTIONS = { encoding: 'utf8', timeout: 20_000 } as const

async function scriptFolder(t: TestContext, shell: string): Promise<string> {
  const folder = temporaryFolder(t)
  const { status, stdout, stderr } = await gatewayctl(['completion', shell])
  assert.deepEqual([status, stderr], [0, ''])
  writeFileSync(join(folder, 'script'), stdout)
  writeFileSync(join(folder, 'shared-secret'), '')
  return folder
}

function check(run: (line: readonly string[]) => string): void {
  for (const [line, offered, not] of LINES) {
    const words = run(line.split(' ')).trim().split('\n')
    for (const word of offered.split(' ')) assert.ok(words.includes(word), `${line}: ${words}`)
    for (const word of not.split(' ')) assert.ok(!words.includes(word), `${line}: ${words}`)
  }
}

describe('bash', { skip: skipWithoutBash }, () => {
  test('completes verbs, options and values', async (t) => {
    const folder = await scriptFolder(t, 'bash')
    const program = `. ./script; compopt() { :; }
COMP_WORDS=(gatewayctl "$@"); COMP_CWORD=$#; _gatewayctl; printf '%s\\n' "\${COMPREPLY[@]}"`
    const run = (line: readonly string[]) =>
      execFileSync('bash', ['--norc', '-c', program, 'bash', ...line], { ...OPTIONS, cwd: folder })
    check(run)
    assert.equal(run(['portal', 'acc']), 'acceptances\n')
    assert.equal(run(['portal', 'ca', '--j']), '--json\n')
  })
})

describe('zsh', { skip: skipWithoutZsh }, () => {
  test('completes verbs, options and values', async (t) => {
    const folder = await scriptFolder(t, 'zsh')
    // Records the calls of zsh's completion functions.
    const program = `
compdef() { [[ $1 == _gatewayctl && $2 == gatewayctl ]] || exit 9 }
compadd() { shift; print -l -- "$@" }
_describe() { print -l -- "\${(@)verbs%%:*}"; [[ -z "\${(M)verbs:#*:?*}" ]] && exit 8; true }
_files() { print -l -- * }
. ./script; words=(gatewayctl "$@"); CURRENT=$#words; _gatewayctl`
    check((line) => execFileSync('zsh', ['-f', '-c', program, 'zsh', ...line], { ...OPTIONS, cwd: folder }))
  })
})
