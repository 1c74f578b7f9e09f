// Seen: one edit set `connect = "decide"` in [icap] and `locked = true` on a rule; the reload accepted it, with the warning that
// icap needs a restart. Until that restart, `connect = "allow"` was in force: tunnels that the proxy does not decrypt still passed
// to the hosts of the locked rule. Since locked rules exist (2026.48.6), the check compared two values of one file, of which one
// was not in force. Likewise, expectations were judged with the portal's names of the file, not with those in force.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openPolicyStore } from '../../src/engine/policy/reload/policy-store.ts'
import { recordLog } from '../engine/recorded-log.ts'
import { BASE_URL, NO_OPTIONS, policy, policyOf } from '../engine/running-engine.ts'
import { rule } from '../support/rules.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ICAP = (connect: string) => `[icap]\ntoken_file = "token"\nconnect = "${connect}"\n`
const ADULT = rule('adult', 'block')
const LOCKED = `${ADULT}locked = true\n`

/** A store of the first content, and how a reload of another one ends. */
async function startWith(t: TestContext, first: string) {
  const folder = temporaryFolder(t)
  const path = (name: string) => join(folder, name)
  mkdirSync(path('published'))
  writeFileSync(path('token'), 'a-token-of-this-test-0123\n')
  const write = (content: string, portal = '') => {
    const toml = policy(content, 'default = "block"')
    writeFileSync(
      path('policy.toml'),
      toml.replace(`base_url = "${BASE_URL}"`, (line) => line + portal),
    )
  }
  write(first)
  const options = { ...NO_OPTIONS, config: path('policy.toml'), publish: path('published') }
  const store = await openPolicyStore({ ...policyOf(options), log: recordLog().log, clock: Date.now })
  t.after(() => store.close())
  /** @param portal further keys of [captive_portal] */
  return async (content: string, portal?: string) => {
    write(content, portal)
    const { result, problems, warnings } = await store.reload()
    return { result, problems: problems.map((one) => one.replace(/^.*policy\.toml:\d+: /, '')), warnings }
  }
}

test('a rule is not locked while an undecided tunnel passes', async (t) => {
  const reload = await startWith(t, ADULT + ICAP('allow'))
  const { result, problems } = await reload(LOCKED + ICAP('decide'))
  assert.equal(result, 'kept')
  assert.deepEqual(problems, [
    'rules[1].locked must not be set until the engine is restarted, because icap.connect = "allow" is in force: "allow" opens what the proxy does not decrypt; it is now true',
  ])
  const other = await reload(ADULT + ICAP('decide'))
  assert.equal(other.result, 'loaded')
  assert.ok(other.warnings.includes('icap has changed: restart the engine'))
})

test('expectations go by the names of the portal that are in force', async (t) => {
  const reload = await startWith(t, ADULT)
  const renamed = '\nhostnames = ["portal.test"]'
  const expect = '[[expect]]\nurl = "https://portal.test/"\nverdict = "allow"\n'
  const { result, problems } = await reload(ADULT + expect, renamed)
  assert.equal(result, 'kept')
  assert.match(`${problems}`, /must be allowed; it is now blocked by the default/)
  assert.equal((await reload(ADULT, renamed)).result, 'loaded')
})

test('control: with "decide" in force, a rule is locked by a reload; with "allow" in the file, by none', async (t) => {
  const reload = await startWith(t, ADULT + ICAP('decide'))
  assert.equal((await reload(LOCKED + ICAP('decide'))).result, 'loaded')
  const { result, problems } = await reload(LOCKED + ICAP('allow'))
  assert.equal(result, 'kept')
  assert.match(`${problems}`, /^icap\.connect must be "decide" where a rule is locked/)
})
