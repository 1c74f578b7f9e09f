// The pages in docs/ agree with the code: keys, limits, problem types, examples, published files.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import * as contract from '../../src/contract/acknowledgement.ts'
import { rotateCa } from '../../src/engine/certificates/rotate.ts'
import { LIMITS, MAXIMUM_HEAD_BYTES } from '../../src/engine/icap/limits.ts'
import { expectation } from '../../src/engine/policy/expectations/expectation-shape.ts'
import type { ReloadResult } from '../../src/engine/policy/reload/policy-store.ts'
import { span } from '../../src/engine/policy/schedule/schedule-shape.ts'
import { startSettingsPublisher } from '../../src/engine/proxy-settings/publish.ts'
import { group, list, sections } from '../../src/engine/settings/file-shape.ts'
import { rule } from '../../src/engine/settings/rule-shape.ts'
import { startPublishing } from './publishing.ts'
import { configure, policy } from './running-engine.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const POLICY = read('policy.md')
const ICAP = read('icap.md')

/** Of a table, whether or not it may be missing; none for other values. */
function keysOf(shape: object): readonly string[] {
  if ('shape' in shape) return Object.keys(shape.shape as object)
  return 'unwrap' in shape ? keysOf((shape as { unwrap(): object }).unwrap()) : []
}

test('every key of the file', () => {
  // Those of the policy are in policy.md, those of ICAP in icap.md.
  const policyKeys = ['rules', 'lists', 'groups', 'rooms', 'schedules', 'expect', 'default', 'inspection', 'gateway']
  const own = Object.entries(sections).filter(([name]) => ![...policyKeys, 'icap'].includes(name))
  // What the list items explain, without a default.
  const items = Array.from(read('engine.md').matchAll(/^- (`.+?)(?: \(.*?\))?: /gm), ([, item]) => item)
  const expected = own.flatMap(([name, shape]) => {
    const keys = keysOf(shape)
    return keys.length === 0 ? [`\`${name}\``] : keys.map((key) => `\`[${name}]\` \`${key}\``)
  })
  assert.ok(expected.length > 12)
  for (const key of expected) assert.ok(items.includes(key), `${key} is not documented`)
  for (const key of keysOf(sections.icap)) assert.match(ICAP, new RegExp(`^- \`${key}\`[ :]`, 'm'))
})

test('every key of the policy', () => {
  const tables = [
    ...[rule, rule.shape.override, span, list, group, expectation],
    ...[sections.inspection, sections.gateway],
  ]
  const [tenant] = [sections.inspection.unwrap().shape.tenants.unwrap().element]
  const keys = [...[...tables, tenant].flatMap(keysOf), 'default']
  assert.ok(keys.length > 30)
  // List items: `from`, `to`: when the span begins and ends
  const described = [...POLICY.matchAll(/^ *- ((?:`\w+`(?:, )?)+): /gm)].map(([, names]) => names).join()
  for (const key of keys) assert.ok(described.includes(`\`${key}\``), `${key} is not documented`)
})

test('the limits and defaults of ICAP', () => {
  const defaults = sections.icap.parse({ token_file: 'x' })
  const expected = [
    `\n- \`listen\` (\`${defaults?.listen?.host}:${defaults?.listen?.port}\`): `,
    `\n- \`connect\` (\`"${defaults?.connect}"\`): `,
    `\n- \`username\` (\`"${defaults?.username}"\`): `,
    `- ICAP head, HTTP head: ${MAXIMUM_HEAD_BYTES / 1024} KiB each, 256 fields`,
    `- heads and preview; first request of a connection: ${LIMITS.requestMs / 1000} seconds\n`,
    `- pause within a body: ${LIMITS.bodyPauseMs / 1000} seconds; whole body: ${LIMITS.bodyMs / 3_600_000} hour; `,
    `pause between requests: ${LIMITS.idleMs / 60_000} minutes\n`,
    `- connections: ${LIMITS.connections.toLocaleString('en')}\n`,
    `at most ${LIMITS.discardedBytes / 2 ** 20} MiB of a stopped one`,
    `at most ${LIMITS.stopMs / 1000} seconds for requests in flight`,
  ]
  for (const text of expected) assert.ok(ICAP.includes(text), text)
})

test('every published file, with its mode', async (t) => {
  const certificates = read('certificates.md').replaceAll('\n  ', ' ')
  const { folder, publish } = await startPublishing(t)
  await publish()
  await rotateCa({ folder, organisation: 'Test' }, 1, Date.now())
  const last: ReloadResult = { result: 'loaded', problems: [], warnings: [] }
  const { policy: current, portal } = configure(policy(''))
  const [policies, ruledHosts, log] = [{ current, last }, { every: undefined }, pino({ enabled: false })]
  const settings = startSettingsPublisher({ folder, portal, policies, ruledHosts, log })
  t.after(() => settings.stop())
  await settings.publish()
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = all.filter((name) => name.includes('.') || /^proxy\/./.test(name))
  assert.equal(files.length, 16)
  for (const name of files) {
    const mode = (statSync(join(folder, name)).mode & 0o777).toString(8)
    assert.match(certificates, new RegExp(`^- .*\`${name}\`.* \\(0${mode}\\b`, 'm'), name)
  }
})

test('every problem type', () => {
  for (const type of [contract.CODE_REJECTED_PROBLEM, contract.EXPIRED_PROBLEM, contract.LOCKED_OUT_PROBLEM]) {
    assert.ok(read('engine-api.md').includes(`\`${type}\``), type)
  }
})

test('the examples work', () => {
  const examples = Array.from(POLICY.matchAll(/```toml\n(.*?)```/gs), ([, toml]) => toml)
  const files = { 'adult.txt': 'adult.example', 'students.txt': 'anna', 'staff.txt': 'smith' }
  const { policy: loaded } = configure(policy(examples.join('').replace('/var/lib/gateway-lists/', '')), files)
  const { rules, affixes, groups, lists, inspection, expectations } = loaded
  assert.ok(examples.length >= 7)
  assert.deepEqual(
    [rules, affixes, groups, lists, inspection.tenants, expectations].map(({ length }) => length),
    [4, 3, 2, 2, 2, 1],
  )
})
