// docs/engine.md and docs/policy.md agree with the code: keys, problem types, examples; docs/certificates.md:
// published files.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import * as contract from '../../src/contract/acknowledgement.ts'
import { rotateCa } from '../../src/engine/certificates/rotate.ts'
import type { ReloadResult } from '../../src/engine/policy/reload/policy-store.ts'
import { startSettingsPublisher } from '../../src/engine/proxy-settings/publish.ts'
import { group, list, sections } from '../../src/engine/settings/file-shape.ts'
import { rule } from '../../src/engine/settings/rule-shape.ts'
import { startPublishing } from './publishing.ts'
import { configure, policy } from './running-engine.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const DOCUMENT = read('engine.md')
const POLICY = read('policy.md')
const API = read('engine-api.md')

/** What the list items explain, without a default. */
const ITEMS = [...DOCUMENT.matchAll(/^- (`.+?)(?: \(.*?\))?: /gm)].map(([, item]) => item ?? '')

test('every key of the file', () => {
  const { captive_portal, control, certificates, state, ops, audit, override, users, ...others } = sections
  const { rules: _, lists, groups, inspection, gateway, default: __, icap: ___, ...topLevel } = others
  assert.ok(override)
  const expected = [
    ...Object.keys(topLevel).map((key) => `\`${key}\``),
    ...Object.keys(captive_portal.shape).map((key) => `\`[captive_portal]\` \`${key}\``),
    ...Object.keys(control.shape).map((key) => `\`[control]\` \`${key}\``),
    ...Object.keys(certificates.shape).map((key) => `\`[certificates]\` \`${key}\``),
    ...Object.keys(state.unwrap().shape).map((key) => `\`[state]\` \`${key}\``),
    ...Object.keys(ops.unwrap().shape).map((key) => `\`[ops]\` \`${key}\``),
    ...Object.keys(audit.unwrap().shape).map((key) => `\`[audit]\` \`${key}\``),
    ...Object.keys(override.unwrap().shape).map((key) => `\`[override]\` \`${key}\``),
    ...Object.keys(users.unwrap().shape).map((key) => `\`[users]\` \`${key}\``),
  ]
  assert.ok(lists && groups && inspection && gateway && expected.length > 12)
  for (const key of expected) assert.ok(ITEMS.includes(key), `${key} is not documented`)
})

test('every published file, with its mode', async (t) => {
  const certificates = read('certificates.md').replaceAll('\n  ', ' ')
  const { folder, publish } = await startPublishing(t)
  await publish()
  await rotateCa({ folder, organisation: 'Test' }, 1, Date.now())
  const log = pino({ enabled: false })
  const last: ReloadResult = { result: 'loaded', problems: [], warnings: [] }
  const { policy: current, portal } = configure(policy(''))
  const policies = { current, last }
  const settings = startSettingsPublisher({ folder, portal, policies, ruledHosts: { every: undefined }, log })
  t.after(() => settings.stop())
  await settings.publish()
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.includes('.') || /^proxy\/./.test(name),
  )
  assert.equal(files.length, 16)
  for (const name of files) {
    const mode = (statSync(join(folder, name)).mode & 0o777).toString(8)
    assert.match(certificates, new RegExp(`^- .*\`${name}\`.* \\(0${mode}\\b`, 'm'), name)
  }
})

test('every key of the policy', () => {
  const { inspection, gateway } = sections
  const keys = [
    ...Object.keys(rule.shape),
    ...Object.keys(rule.shape.override.unwrap().shape),
    ...Object.keys(rule.shape.when.unwrap().shape),
    ...Object.keys(list.shape),
    ...Object.keys(group.shape),
    ...Object.keys(inspection.unwrap().shape),
    ...Object.keys(inspection.unwrap().shape.tenants.unwrap().element.shape),
    ...Object.keys(gateway.unwrap().shape),
    'default',
  ]
  assert.ok(keys.length > 30)
  // List items: `from`, `to`: when the span begins and ends
  const described = [...POLICY.matchAll(/^ *- ((?:`\w+`(?:, )?)+): /gm)].map(([, names]) => names).join()
  for (const key of keys) assert.ok(described.includes(`\`${key}\``), `${key} is not documented`)
})

test('every problem type', () => {
  for (const type of [contract.CODE_REJECTED_PROBLEM, contract.EXPIRED_PROBLEM, contract.LOCKED_OUT_PROBLEM]) {
    assert.ok(API.includes(`\`${type}\``), type)
  }
})

test('the examples work', () => {
  const [rule = '', users = '', groups = '', list = '', inspection = '', updates = '', ...others] = [
    ...POLICY.matchAll(/```toml\n(.*?)```/gs),
  ].map(([, toml]) => toml ?? '')
  const { policy: loaded } = configure(
    policy(rule + users + groups + list.replace('/var/lib/gateway-lists/', '') + inspection + updates),
    {
      'adult.txt': 'adult.example',
      'students.txt': 'anna',
      'staff.txt': 'smith',
    },
  )
  assert.equal(loaded.rules.length, 2)
  assert.equal(loaded.affixes.length, 3)
  assert.equal(loaded.groups.length, 2)
  assert.equal(loaded.lists.length, 1)
  assert.equal(loaded.inspection.tenants.length, 2)
  assert.deepEqual(others, [])
})
