// A test or a check runs every command of the documentation, or a comment says why none does: command-blocks.ts.
import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKS } from '../../checks/list.ts'
import { blocks, COMMANDS, commandBlocks, ROOT, readPage } from './command-blocks.ts'

const CONTENT = ['http', 'ini', 'js', 'json', 'markdown', 'nft', 'nginx', 'tcl', 'text', 'toml', 'ts', 'yaml']
const CHECK = 'npm run check -- '

const pages = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', 'dist'] })
const commands = pages.flatMap(commandBlocks)
const checks = new Set(CHECKS.map(({ name }) => name))

test('every block has a language, which says whether it has commands', () => {
  const languages = [...COMMANDS, ...CONTENT]
  assert.deepEqual(
    pages.flatMap(blocks).filter(({ language }) => !languages.includes(language)),
    [],
  )
})

test('every block of commands is run, or has a reason', () => {
  assert.ok(pages.includes('README.md') && pages.includes(join('docs', 'install.md')) && commands.length > 80)
  assert.deepEqual(
    commands.filter(({ reason, runBy }) => runBy === undefined && (reason ?? '').length < 10),
    [],
  )
})

test('what runs a block is a check, or a test that reads its page', () => {
  const wrong = commands.filter(({ page, runBy }) => {
    if (runBy === undefined) return false
    if (runBy.startsWith(CHECK)) return !checks.has(runBy.slice(CHECK.length))
    return !runBy.endsWith('.test.ts') || !existsSync(join(ROOT, runBy)) || !readPage(runBy).includes(`'${page}'`)
  })
  assert.deepEqual(wrong, [])
})

test('every test that a reason names exists', () => {
  const named = commands.flatMap(({ reason = '' }) => reason.match(/\b(?:test|checks)\/[\w./-]*[\w/]/g) ?? [])
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

test('every comment belongs to a block of commands, or to its page', () => {
  for (const page of pages) {
    const reasons = readPage(page).match(/<!-- *not run/g) ?? []
    assert.equal(reasons.length, commandBlocks(page).filter(({ reason }) => reason !== undefined).length, page)
    const runs = readPage(page).match(/<!-- *run by (?=.* -->\n(?! *```))/g) ?? []
    assert.ok(runs.length <= 1, page)
  }
})
