// A scenario is tried again when only times were too long; a wrong result fails it at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Findings } from '../../checks/chaos/findings.ts'
import { passes } from '../../checks/chaos/scenario.ts'

/** Runs a scenario whose attempts find this, one after the other. */
async function judged(...attempts: readonly ((findings: Findings) => unknown)[]) {
  let count = 0
  let text = ''
  const scenario = {
    name: 'fake',
    about: 'fake',
    async run() {
      const findings = new Findings()
      attempts[Math.min(count++, attempts.length - 1)]?.(findings)
      return findings
    },
  }
  const hasPassed = await passes(scenario, true, (line) => {
    text += line
  })
  return { hasPassed, count, text }
}

const good = () => {}
const late = (findings: Findings) => findings.expectInTime(false, 'too late')
const wrong = (findings: Findings) => findings.expect(false, 'a wrong response')
const responses = (...results: readonly string[]) => new Map(results.map((result) => [result, 1]))

test('times are tried three times', async () => {
  assert.deepEqual(await judged(good).then(({ hasPassed, count }) => [hasPassed, count]), [true, 1])
  assert.deepEqual(await judged(late, late, good).then(({ hasPassed, count }) => [hasPassed, count]), [true, 3])
  const { hasPassed, count, text } = await judged(late)
  assert.deepEqual([hasPassed, count], [false, 3])
  assert.match(text, /! too late/)
})

test('a wrong result, an error and a cleanup that fails are no matter of time', async () => {
  for (const attempt of [
    wrong,
    (findings: Findings) => [late(findings), wrong(findings)],
    () => assert.fail('broken'),
  ]) {
    const { hasPassed, count, text } = await judged(attempt, good)
    assert.deepEqual([hasPassed, count], [false, 1], text)
  }
})

test('of unexpected results, only those for which there was no time are tried again', async () => {
  const expecting = (...results: readonly string[]) =>
    judged((findings) => findings.expectOnly(['200', '302'], responses(...results), 'pages'), good)
  assert.deepEqual([(await expecting('200')).count, (await expecting('200', '302')).hasPassed], [1, true])
  for (const result of ['503', '504', 'unanswered', 'no connection']) {
    const { hasPassed, count } = await expecting('200', result)
    assert.deepEqual([hasPassed, count], [true, 2], result)
  }
  for (const results of [['500'], ['502'], ['403'], ['broken'], ['refused'], ['503', '500']]) {
    const { hasPassed, count, text } = await expecting('200', ...results)
    assert.deepEqual([hasPassed, count], [false, 1], results.join())
    assert.match(text, /! pages: 200 or 302 expected, not /)
  }
})
