// Seen: .env had GATEWAY_TIMEZONE=Europe/London, as docs/start.md says, and a rule with `when = { from = "08:00", … }` applied from 08:00
// UTC, an hour late in summer: only the portal read the variable. In containers the machine's time zone is UTC. Expiries of codes
// had the same zone. Since rules have schedules.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { findRule } from '../../src/engine/policy/policy.ts'
import { type CommandLine, parseCommandLine } from '../../src/engine/settings/command-line.ts'
import { subjectFor } from '../engine/request-for.ts'
import { loadSettings, policy } from '../engine/running-engine.ts'

const RULES = policy(`
[[rules]]
name = "lessons"
when = { from = "08:00", to = "09:00" }
action = "block"
[[rules]]
name = "named"
when = { from = "08:00", to = "09:00", timezone = "Asia/Tokyo" }
action = "block"
[[rules]]
name = "lab"
match = ["lab.example"]
action = "warn"
override = { type = "pin", codes = [{ code = "1111", expires = 2027-07-31 }, { code = "2222", expires = 2027-07-31T18:00:00 },
  { code = "3333", expires = "2027-07-31T18:00:00+02:00" }] }`)

const commandLine = (...options: readonly string[]) =>
  parseCommandLine(['--config', 'policy.toml', ...options]) as CommandLine
const load = (...options: readonly string[]) => loadSettings(commandLine(...options), () => Buffer.from(RULES)).policy

function ruleAt(time: string, ...options: readonly string[]): string | undefined {
  return findRule(load(...options), subjectFor('http://a.example/', { at: Date.parse(time) }))?.rule.name
}

function expiries(...options: readonly string[]): readonly (string | undefined)[] {
  const rule = load(...options).rules.find(({ name }) => name === 'lab')
  assert.ok(rule?.action === 'warn')
  return (rule.override?.codes ?? []).map(({ expires }) =>
    expires === undefined ? expires : new Date(expires).toISOString(),
  )
}

test('a schedule without a time zone has that of the option', () => {
  const london = ['--timezone', 'Europe/London']
  assert.equal(ruleAt('2027-07-01T07:30Z', ...london), 'lessons')
  assert.equal(ruleAt('2027-07-01T08:30Z', ...london), undefined)
  assert.equal(ruleAt('2027-01-15T08:30Z', ...london), 'lessons')
})

test('so has an expiry without an offset', () => {
  assert.deepEqual(expiries('--timezone', 'America/New_York'), [
    '2027-08-01T04:00:00.000Z',
    '2027-07-31T22:00:00.000Z',
    '2027-07-31T16:00:00.000Z',
  ])
})

describe('deployments pass GATEWAY_TIMEZONE', () => {
  for (const [file, option] of [
    ['deploy/compose.yaml', /- --timezone\n +- \$\{GATEWAY_TIMEZONE:-\}\n/],
    ['deploy/systemd/gateway-engine.service', / --timezone \$\{GATEWAY_TIMEZONE\} /],
    ['deploy/debian/gateway-engine', / --timezone "\$\{GATEWAY_TIMEZONE:-\}" /],
  ] as const) {
    test(file, () => assert.match(readFileSync(file, 'utf8'), option))
  }
  test('an empty one is the machine’s; an unknown one is refused', () => {
    assert.deepEqual(expiries('--timezone', ''), expiries())
    assert.throws(
      () => commandLine('--timezone', 'Mars/Olympus'),
      /'--timezone' must be a time zone such as Europe\/Zurich/,
    )
  })
})

test('control: a schedule with a time zone keeps it', () => {
  assert.equal(ruleAt('2027-07-01T23:30Z', '--timezone', 'Europe/London'), 'named')
})
