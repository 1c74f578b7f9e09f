// Where options gave all other settings, an empty policy file was a valid policy without a rule: `> policy.toml` let
// everything through, and while the file was being copied slowly, each beginning of it was put in force: 6 of 12 requests for
// a blocked site were allowed. Since 2026-11-23, when the engine began to reload a changed policy. Now an empty or cut file is
// never read, one that has lost half of its rules is kept out also by a restart, and a file is read when it has not changed
// for half a second.
import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PolicyEngine, policyFolder } from '../support/policy-engine.ts'
import { rule } from '../support/rules.ts'
import { until } from '../support/until.ts'

const RULES = Array.from({ length: 12 }, (_, index) => rule(`site-${index + 1}`, 'block'))
/** The last one of the file. */
const BLOCKED = 'site-12.example'

/** Asks all the time whether the site is blocked, until the function has ended. @returns the other verdicts */
async function whileAsking(engine: PolicyEngine, run: () => Promise<unknown>): Promise<readonly unknown[]> {
  const others: unknown[] = []
  let asked = 0
  let isRunning = true
  const ended = run().finally(() => {
    isRunning = false
  })
  while (isRunning) {
    const verdict = await engine.verdict(BLOCKED)
    asked++
    if (verdict !== 'block') others.push(verdict)
    await sleep(20)
  }
  await ended
  assert.ok(asked > 5, `${asked} requests`)
  return others
}

/** Whether the pieces up to this one are at most half of the rules. */
const isPrefixOfRules = (piece: number) => piece % 2 === 1 && piece < 12

const kept = (engine: PolicyEngine) =>
  engine.lines().flatMap(({ msg, problems }) => (String(msg).startsWith('policy kept') ? [String(problems)] : []))

test('an emptied file: everything stays blocked, also after a restart', { timeout: 60_000 }, async (t) => {
  const { config, start } = policyFolder(t, RULES.join(''))
  const running = await start()
  const others = await whileAsking(running, async () => {
    writeFileSync(config, '')
    await until(() => kept(running).length > 0)
    await sleep(200)
  })
  assert.deepEqual(others, [])
  assert.deepEqual(kept(running), [`${config} must not be empty; it has no bytes`])
  await running.stop()
  const restarted = await start()
  assert.equal(await restarted.verdict(BLOCKED), 'block')
  assert.deepEqual(kept(restarted), [`${config} must not be empty; it has no bytes`])
})

for (const [how, pauseMs] of [
  ['without a pause that looks like its end', () => 100],
  [
    'with pauses that look like its end, while it has half of its rules',
    (piece: number) => (isPrefixOfRules(piece) ? 650 : 50),
  ],
] as const) {
  test(`a file that is written slowly, ${how}: the site is blocked at every moment`, { timeout: 60_000 }, async (t) => {
    const { config, start } = policyFolder(t, RULES.join(''))
    const engine = await start()
    // After every other piece the file is a valid one.
    const pieces = [...RULES, rule('new', 'block')].flatMap((one) => [one.slice(0, 30), one.slice(30)])
    const others = await whileAsking(engine, async () => {
      writeFileSync(config, '')
      for (const [index, piece] of pieces.entries()) {
        appendFileSync(config, piece)
        await sleep(pauseMs(index))
      }
      await until(async () => (await engine.verdict('new.example')) === 'block')
    })
    assert.deepEqual(others, [])
  })
}

// A file that was cut at a line feed within its last rule was a valid one: the rule was no longer locked, and blocked what it had
// excepted. The expectations that stood below it were lost with the rest, so that nothing noticed. Since the policy has its own
// tests (2026.48.6), a loss of half of them is one, like that of rules.
test('a file cut within its last rule does not come into force', { timeout: 60_000 }, async (t) => {
  const last = `${rule('last', 'block')}locked = true\n[rules.except]\nclients = ["10.9.0.0/16"]\n`
  const expects = ['site-1', 'last'].map((name) => `[[expect]]\nurl = "http://${name}.example/"\nverdict = "block"\n`)
  const whole = [...RULES, last, ...expects].join('')
  const { config, start } = policyFolder(t, whole)
  const engine = await start()
  writeFileSync(config, whole.slice(0, whole.indexOf('locked = true')))
  await until(() => kept(engine).length > 0)
  assert.match(
    `${kept(engine)}`,
    /^\S+policy\.toml must not lose half of its expectations; it has 0, and the last accepted one 2\. To accept it: /,
  )
  writeFileSync(config, [...RULES, last, expects[0], expects[1], expects[1]].join(''))
  await until(() => engine.lines().filter(({ msg }) => msg === 'policy loaded').length > 1)
})

test('an edit that removes a rule always came into force, and a restart reads it', { timeout: 60_000 }, async (t) => {
  const { config, start } = policyFolder(t, RULES.join(''))
  const running = await start()
  assert.equal(await running.verdict(BLOCKED), 'block')
  writeFileSync(config, RULES.slice(0, -1).join(''))
  await until(async () => (await running.verdict(BLOCKED)) === 'allow')
  await running.stop()
  const restarted = await start()
  assert.equal(await restarted.verdict(BLOCKED), 'allow')
  assert.equal(await restarted.verdict('site-11.example'), 'block')
  assert.deepEqual(kept(restarted), [])
})
