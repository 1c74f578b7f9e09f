// Rejects phrases that have no legitimate use in code, comments, tests and documentation (plain engineering English).
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

// Each is divided, so that this file does not contain it.
const PHRASES =
  `who·ever|an·ew|for ·ever|lets ·go of|sees ·out|of its own ·accord|stands ·still|stood ·still|takes ·on|turned ·away|
  that ·which|of one's ·own|lets ·itself|looks ·at|looked ·at|looks ·after|hea·rs|men·ded|men·ds|taken ·back|to its ·word|
  come ·again|comes ·again|asks ·nobody|does ·without|goes ·without|lies ·in|by ·whom`.replaceAll(/·|\n */g, '')
const PATTERN = new RegExp(`\\b(${PHRASES.replaceAll(' ', '\\s+')})\\b`, 'i')

const FILES = [
  '*.md',
  '{bench,checks,demo,deploy,docs,scripts,src,test}/**/*.{ts,js,mjs,css,md,sh,toml,yaml,yml,conf,service}',
]
/** Visitor texts have their own rules, and the changelog quotes old messages. */
const EXEMPT = /^(CHANGELOG\.md|src\/portal\/i18n\/(de|en|fr|it)\.ts)$/

const found = globSync(FILES, { cwd: root })
  .filter((path) => !EXEMPT.test(path))
  .flatMap((path) => {
    const [phrase] = PATTERN.exec(readFileSync(join(root, path), 'utf8')) ?? []
    return phrase === undefined ? [] : [{ path, phrase }]
  })

test('no file contains a phrase that plain English does not need', () => {
  assert.deepEqual(found, [])
})
