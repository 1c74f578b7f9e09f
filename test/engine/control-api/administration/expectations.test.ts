// What opens an expectation's request now, whatever the rules decide.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rule } from '../../../support/rules.ts'
import { policy, startEngine } from '../../running-engine.ts'

const expect = (host: string, verdict: string) =>
  `[[expect]]\nurl = "https://${host}/"\nverdict = "${verdict}"\nat = 2026-11-27T10:00:00\n`

test('a permission with its end, and a session', async (t) => {
  const toml =
    rule('games', 'block', 'match = ["games.example"]') +
    rule('news', 'warn', 'match = ["news.example"]') +
    expect('games.example', 'block') +
    expect('news.example', 'warn')
  const engine = await startEngine(t, policy(toml))
  const client = '198.51.100.7'
  const opened = async () => {
    const { expectations } = (await engine.administer('expectations', { client })).json
    return (expectations as readonly Record<string, unknown>[]).map((one) => [one.opened_by, one.opened_until])
  }
  assert.deepEqual(await opened(), [
    [null, null],
    [null, null],
  ])
  await engine.administer('permissions/allow', { host: 'games.example', minutes: 60, by: 'Ms Rossi' })
  await engine.acknowledge(await engine.verdict('https://news.example/', client))
  assert.deepEqual(await opened(), [
    ['a permission of Ms Rossi', '2027-01-15T09:00:00Z'],
    ['a session of the rule "news"', null],
  ])
})
