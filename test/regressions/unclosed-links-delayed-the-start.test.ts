// Seen: with a policy of 256 KiB of `[a](`, which is within the limit, the portal took 45 s to start. To estimate how long the
// text is on the page, it removed the addresses of links, and searched from each `](` to the end of the text for a closing
// parenthesis that is not there. Since long policies have a sticky button. Links that are complete were not affected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPolicyTexts } from '../../src/aup/policy-texts.ts'
import { policyDocuments } from '../../src/portal/verdict/policy-document.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { cpuMilliseconds } from '../support/cpu-time.ts'
import { policyFiles } from '../support/policy-files.ts'

const LIMIT = 5000

/** Milliseconds of CPU time until the documents exist. */
async function millisecondsFor(unit: string): Promise<number> {
  const { path, remove } = policyFiles(undefined, { 'aup.md': unit.repeat(Math.floor((256 * 1024) / unit.length)) })
  const { texts } = await readPolicyTexts({ enabled: true, path, version: '1' }, { default: 'en', supported: LOCALES })
  remove()
  assert.ok(texts !== undefined)
  return cpuMilliseconds(() => policyDocuments(texts))
}

for (const [name, unit] of [
  ['links without an end', '[a]('],
  ['control: complete links', '[a](b) '],
] as const) {
  test(name, async () => {
    const milliseconds = await millisecondsFor(unit)
    assert.ok(milliseconds < LIMIT, `${milliseconds} ms`)
  })
}
