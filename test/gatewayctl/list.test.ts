// `portal acceptances list`, in pipes and on a terminal.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { acceptanceRequest, openReplica } from '../ledger/fixture.ts'
import { databases, query } from '../support/databases.ts'
import { emptyLedger, fill } from '../support/ledgers.ts'
import { gatewayctl, onTerminal, skipWithoutScript } from './gatewayctl.ts'

const LIST = ['portal', 'acceptances', 'list']
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const HOSTILE = 'x\u001b[2J\u009b31m\u202egnp\r\nrule\u0007'

for (const database of databases) {
  describe(`list, ${database.name}`, { skip: database.skip }, () => {
    test('the newest first, in columns, with the number of further ones', async (t) => {
      const ledger = await emptyLedger(t, database)
      await fill(ledger, 60)
      const { status, stdout, stderr } = await gatewayctl([...LIST, '--limit', '3'], { ledger })
      assert.equal(status, 0, stderr)
      assert.equal(
        stdout,
        `\
requested_at              state     policy_version  locale  jti                     rule_name
2025-01-01T00:00:08.000Z  refused   2026-11-20      de      verdict-00000000000058  rule-3
2025-01-01T00:00:08.000Z  accepted  2026-11-20      de      verdict-00000000000056  rule-1
2025-01-01T00:00:08.000Z  unknown   2026-11-20      de      verdict-00000000000059  rule-4
`,
      )
      assert.equal(stderr, 'The newest 3; 57 more match (--limit shows more, export writes all).\n')
    })

    test('the count stops at its limit', async (t) => {
      const ledger = await emptyLedger(t, database)
      await fill(ledger, 10_001)
      const run = (...options: readonly string[]) => gatewayctl([...LIST, '--limit', '2', ...options], { ledger })
      assert.match((await run()).stderr, /^The newest 2 of more than 10,000 that match /)
      const { total, total_is_exact } = JSON.parse((await run('--json')).stdout)
      assert.deepEqual([total, total_is_exact], [10_000, false])
      assert.equal(JSON.parse((await run('--json', '--rule', 'rule-3')).stdout).total_is_exact, true)
    })

    test('JSON has the unchanged record and the total; options filter', async (t) => {
      const ledger = await emptyLedger(t, database)
      await fill(ledger, 60)
      const replica = await openReplica(t, ledger, Date.now)
      const shown = { ruleName: HOSTILE, policyVersion: 'v"2"', clientAddress: '192.0.2.7' }
      await replica.beginAttempt(acceptanceRequest(shown))
      const json = (...options: readonly string[]) => gatewayctl([...LIST, '--json', ...options], { ledger })
      for (const [options, total] of [
        [['--since', '2025-01-01', '--policy-version', '2026-11-20', '--state', 'refused', '--rule', 'rule-3'], 6],
        [['--until', '2025-01-01T01:00:02+01:00', '--state', 'unknown'], 1],
      ] as const) {
        assert.equal(JSON.parse((await json(...options)).stdout).total, total)
      }
      const { stdout, stderr } = await json('--since', '1h', '--policy-version', 'v"2"', '--rule', HOSTILE)
      const { total, acceptances } = JSON.parse(stdout)
      const { rule_name, state, client_address } = acceptances[0]
      assert.deepEqual([total, rule_name, state, client_address], [1, HOSTILE, 'pending', '192.0.2.7'])
      assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{C}/u)
      assert.equal(stderr, '')
    })
  })
}

test('an empty ledger, and no match', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  assert.deepEqual(await gatewayctl(LIST, { ledger }), { status: 0, stdout: '', stderr: 'No acceptance matches.\n' })
})

test('values of any type are escaped for the terminal', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  await fill(ledger, 3)
  await query(
    ledger,
    `update acceptance set rule_name = '${HOSTILE}', locale = x'1b5b324a', requested_at = char(27) || 'c'`,
  )
  const { status, stdout } = await gatewayctl(LIST, { ledger })
  assert.equal(status, 0)
  assert.equal(stdout.split('\n').length, 5)
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{C}/u)
  assert.match(stdout, /x\\u\{1b\}\[2J\\u\{9b\}31m\\u\{202e\}gnp\\u\{d\}\\u\{a\}rule\\u\{7\}/)
})

test('on a terminal: colours, unless NO_COLOR; the last column is cut at its width', {
  skip: skipWithoutScript,
}, async (t) => {
  const LONG = 'a-rule-whose-name-does-not-fit-the-line'
  const ledger = await emptyLedger(t, sqlite)
  await fill(ledger, 20)
  await query(ledger, `update acceptance set rule_name = '${LONG}'`)
  const [piped, colourful, plain] = await Promise.all([
    gatewayctl(LIST, { ledger, env: { FORCE_COLOR: '1' } }),
    onTerminal(LIST, { ledger }),
    onTerminal(LIST, { ledger, env: { NO_COLOR: '1', FORCE_COLOR: '1' } }),
  ])
  assert.match(colourful.screen, /\u001b\[32maccepted\u001b\[39m/)
  assert.match(colourful.screen, /\u001b\[33munknown\u001b\[39m/)
  for (const text of [piped.stdout, plain.screen]) assert.ok(!text.includes('\u001b'))
  assert.ok(piped.stdout.includes(LONG))
  const lines = plain.screen.split('\r\n')
  assert.ok(lines.some((line) => line.endsWith('…')))
  for (const line of lines) assert.ok(line.length <= 100, line)
})
