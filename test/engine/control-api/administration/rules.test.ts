// The list of rules: as the engine has them, in its order, with the hits of today.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rule } from '../../../support/rules.ts'
import { policy, startEngine } from '../../running-engine.ts'
import { FILES, RULES } from './policy.ts'

const CLIENT = '198.51.100.7'

interface Listed {
  readonly name: string
  readonly hits: unknown
}

test('every part of a rule, locked ones first, and the default last', async (t) => {
  const rules = `
    ${rule('open', 'allow', 'match = ["a.example", ".b.example/x", "192.0.2.0/24"]', 'description = "For all"', 'category = "Open"')}
    ${rule('class', 'warn', 'switch = "exam"', 'clients = ["10.0.0.0/8"]', 'rooms = ["12"]', 'users = ["SCHOOL\\\\Anna"]', 'groups = ["staff"]', 'lists = ["adult"]', 'when = ["lessons", { days = "mon", timezone = "UTC" }]', 'except = { match = ["c.example"], groups = ["staff"] }')}
    ${rule('shut', 'block', 'match = ["x.example"]', 'locked = true')}
    [groups]
    staff = { users = ["ben"] }
    [rooms]
    12 = ["10.0.12.0/24"]
    [schedules]
    lessons = { days = "tue", on = 2026-09-01, until = 2027-06-30, timezone = "UTC" }
    [users]
    strip = ["SCHOOL\\\\"]
    [[lists]]
    name = "adult"
    path = "adult.txt"
  `
  const toml = policy(rules, 'default = "block"')
  const engine = await startEngine(t, toml, { files: FILES })
  const { json } = await engine.administer('rules', {})
  const hits = { stopped: 0, allowed: 0 }
  const lineOf = (name: string) => toml.split('\n').findIndex((line) => line.includes(`name = "${name}"`))
  const rest = { locked: false, description: '', category: null, except: null, hits }
  assert.deepEqual(json.rules, [
    {
      ...rest,
      name: 'shut',
      action: 'block',
      line: lineOf('shut'),
      locked: true,
      conditions: { match: ['x.example'] },
    },
    {
      ...rest,
      ...{ name: 'open', action: 'allow', line: lineOf('open'), description: 'For all', category: 'Open' },
      conditions: { match: ['a.example', '.b.example/x', '192.0.2.0/24'] },
    },
    {
      ...rest,
      ...{ name: 'class', action: 'warn', line: lineOf('class') },
      conditions: {
        switch: ['exam'],
        when: ['tue from 2026-09-01 until 2027-06-30 00:00 to 24:00, UTC', 'mon 00:00 to 24:00, UTC'],
        clients: ['10.0.0.0/8'],
        rooms: ['12'],
        users: ['anna'],
        groups: ['staff'],
        lists: ['adult'],
      },
      except: { groups: ['staff'], match: ['c.example'] },
    },
    { ...rest, name: 'default', action: 'block', line: null, conditions: {} },
  ])
  assert.equal(json.revision, engine.policies.current.revision)
})

test('hits: what a rule stopped and allowed since midnight in the engine’s time zone, or since its start', async (t) => {
  const engine = await startEngine(t, RULES, { files: FILES })
  const list = async () => {
    const { rules, since, timezone } = (await engine.administer('rules', {})).json
    const counted = (rules as Listed[]).flatMap(({ name, hits }) => {
      const { stopped, allowed } = (hits ?? {}) as Record<string, number>
      return (stopped ?? 0) + (allowed ?? 0) === 0 ? [] : [`${name} ${stopped} ${allowed}`]
    })
    return [since, timezone, ...counted]
  }
  // 09:00 in the engine's zone.
  const start = ['2027-01-15T08:00:00Z', 'Europe/Zurich']
  assert.deepEqual(await list(), start)
  for (const host of ['adult.example', 'adult.example', 'www.bank.example', 'other.example', 'portal.example']) {
    await engine.decide(`https://${host}/`)
  }
  await engine.acknowledge(await engine.verdict('https://news.example/', CLIENT))
  await engine.decide('https://news.example/', CLIENT)
  const today = [...start, 'bank 0 1', 'adults 2 0', 'news 1 1']
  assert.deepEqual(await list(), today)
  await engine.administer('permissions/allow', { host: 'adult.example', minutes: 5, by: 'x' })
  await engine.decide('https://adult.example/')
  await engine.administer('reload', {})
  assert.deepEqual(await list(), today, 'a permission is no hit, and a reload loses none')
  engine.pass(15 * 3600 - 1)
  assert.deepEqual(await list(), today)
  engine.pass(1)
  assert.deepEqual(await list(), ['2027-01-15T23:00:00Z', 'Europe/Zurich'])
  await engine.decide('https://adult.example/')
  engine.pass(3600)
  assert.deepEqual(await list(), ['2027-01-15T23:00:00Z', 'Europe/Zurich', 'adults 1 0'])
  const [last] = ((await engine.administer('rules', {})).json.rules as Listed[]).slice(-1)
  assert.deepEqual([last?.name, last?.hits], ['default', null])
})
