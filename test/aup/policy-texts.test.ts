// Which file is shown in which language, and how all problems of all files come together with the configuration's.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPolicyTexts } from '../../src/aup/policy-texts.ts'
import { loadPortalConfig } from '../../src/portal/settings/load.ts'
import type { ConfigProblems } from '../../src/settings/problems.ts'
import type { Locale } from '../../src/settings/sections/locales.ts'
import { complete } from '../settings/load.ts'
import { DEFAULT_LOCALES } from '../support/catalogue.ts'
import { policyFiles } from '../support/policy-files.ts'

const policy = (path: string) => ({ enabled: true, path, version: '1' })
const locales = (supported: readonly Locale[] = DEFAULT_LOCALES, otherwise: Locale = 'en') => ({
  default: otherwise,
  supported,
})

/** The text and its language for each page's language. */
async function shown(path: string, offered = locales()) {
  const { texts, problems } = await readPolicyTexts(policy(path), offered)
  assert.deepEqual(problems, [])
  return Object.fromEntries(
    Object.entries(texts ?? {}).map(([page, { source, locale }]) => [page, `${source} (${locale})`]),
  )
}

test('one file is shown in every language, and is in the default one', async (t) => {
  const { path } = policyFiles(t, { 'aup.md': 'x' })
  assert.deepEqual(await shown(path), { en: 'x (en)', fr: 'x (en)', de: 'x (en)', it: 'x (en)' })
  const german = await shown(path, locales(DEFAULT_LOCALES, 'de'))
  assert.deepEqual(german, { en: 'x (de)', fr: 'x (de)', de: 'x (de)', it: 'x (de)' })
})

test('a file of a language is shown in that language, of supported languages only', async (t) => {
  const files = { 'aup.md': 'x', 'aup.fr.md': 'y', 'aup.de.md': 'z', 'aup.es.md': '', 'aup.it': '' }
  const { path } = policyFiles(t, files)
  assert.deepEqual(await shown(path), { en: 'x (en)', fr: 'y (fr)', de: 'z (de)', it: 'x (en)' })
  assert.deepEqual(await shown(path, locales(['en', 'de'])), { en: 'x (en)', de: 'z (de)' })
  // The default language may have its own file in addition to the common one.
  const own = policyFiles(t, { 'aup.md': 'x', 'aup.en.md': 'y' })
  assert.deepEqual(await shown(own.path), { en: 'y (en)', fr: 'x (en)', de: 'x (en)', it: 'x (en)' })
})

test('the locale precedes the last extension of any file name', async (t) => {
  const { folder } = policyFiles(t, { 'rules.v2.txt': 'x', 'rules.v2.fr.txt': 'y', rules: 'z', 'rules.fr': 'w' })
  assert.equal((await shown(join(folder, 'rules.v2.txt'))).fr, 'y (fr)')
  assert.equal((await shown(join(folder, 'rules'))).fr, 'w (fr)')
})

test('all files with problems are reported together', async (t) => {
  const { folder, path } = policyFiles(t, { 'aup.md': '', 'aup.fr.md': Buffer.from([0xff]), 'aup.it.md': 'fine' })
  mkdirSync(join(folder, 'aup.de.md'))
  const { texts, problems } = await readPolicyTexts(policy(path), locales())
  assert.equal(texts, undefined)
  assert.deepEqual(problems, [
    `GATEWAY_CAPTIVE_AUP_PATH: "${folder}/aup.md" must not be empty; it contains nothing that a page would show`,
    `GATEWAY_CAPTIVE_AUP_PATH: "${folder}/aup.fr.md" must be UTF-8; line 1 is not: it looks like Windows-1252 (save it as UTF-8, or: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW)`,
    `GATEWAY_CAPTIVE_AUP_PATH: "${folder}/aup.de.md" must be a file; it is a folder`,
  ])
})

test('a path cannot break the lines of the message', async () => {
  const { problems } = await readPolicyTexts(policy('/nowhere/a\n"b\u202e.md'), locales())
  assert.deepEqual(problems, ['GATEWAY_CAPTIVE_AUP_PATH: "/nowhere/a\\u{a}\\"b\\u{202e}.md" must exist; it is missing'])
  // While it is off, no file is read.
  const off = { ...policy('/nowhere/aup.md'), enabled: false }
  assert.deepEqual(await readPolicyTexts(off, locales()), { texts: undefined, problems: [] })
})

test('the addition to the privacy notice has the same rules, whether or not the policy is on', async (t) => {
  const broken = policyFiles(t, { 'privacy.de.md': 'x', 'privacy.fr.md': Buffer.from([0xff]) })
  for (const env of [broken.env, { GATEWAY_CAPTIVE_AUP_PATH: broken.path }]) {
    const problems = await loadPortalConfig({ ...complete, ...env }).then(
      () => [],
      ({ problems }: ConfigProblems) => problems,
    )
    assert.deepEqual(
      problems.filter((problem) => problem.includes('privacy')),
      [
        `GATEWAY_CAPTIVE_AUP_PATH: "${broken.folder}/privacy.md" must exist; it is missing`,
        `GATEWAY_CAPTIVE_AUP_PATH: "${broken.folder}/privacy.fr.md" must be UTF-8; line 1 is not: it looks like Windows-1252 (save it as UTF-8, or: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW)`,
      ],
    )
  }
  const good = policyFiles(t, { 'privacy.md': 'x', 'privacy.it.md': 'y' })
  const { privacyTexts, policyTexts } = await loadPortalConfig({ ...complete, GATEWAY_CAPTIVE_AUP_PATH: good.path })
  assert.equal(policyTexts, undefined)
  assert.deepEqual([privacyTexts?.en.source, privacyTexts?.it.source, privacyTexts?.it.locale], ['x', 'y', 'it'])
})
