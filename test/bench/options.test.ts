import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOptions, usage } from '../../bench/options.ts'

const NAMES = ['blocked', 'relay']

test('without a word everything is measured, with the others, and nothing is written', () => {
  const options = readOptions([], NAMES)
  assert.deepEqual(options, {
    scenarios: NAMES,
    seconds: 1,
    rounds: 24,
    connections: 32,
    peers: true,
    quick: false,
    write: false,
  })
})

test('each word is read', () => {
  const words = ['--scenario', 'relay', '--seconds', '0.5', '--rounds', '3', '--connections', '8', '--no-peers']
  assert.deepEqual(readOptions(words, NAMES), {
    scenarios: ['relay'],
    seconds: 0.5,
    rounds: 3,
    connections: 8,
    peers: false,
    quick: false,
    write: false,
  })
  assert.equal(readOptions(['--peers'], NAMES)?.peers, true)
  assert.equal(readOptions(['--write'], NAMES)?.write, true)
  assert.equal(readOptions(['--help'], NAMES), undefined)
})

test('quick is one short round, unless something else is said', () => {
  const { seconds, rounds } = readOptions(['--quick'], NAMES) ?? {}
  assert.deepEqual([seconds, rounds], [0.5, 1])
  assert.equal(readOptions(['--quick', '--rounds', '4'], NAMES)?.rounds, 4)
})

test('what makes no sense is refused with a message', () => {
  const refused = (words: readonly string[], message: RegExp) =>
    assert.throws(() => readOptions(words, NAMES), { message })
  refused(['--seconds', '0'], /--seconds is a number up to 3600, not 0/)
  refused(['--rounds', '1.5'], /--rounds is a whole number/)
  refused(['--connections', 'many'], /--connections is a whole number/)
  refused(['--scenario', 'nothing'], /--scenario is one of blocked, relay, not nothing/)
  refused(['--unknown'], /unknown/)
  // A part of a run would replace the record of a whole one.
  refused(['--write', '--quick'], /--write takes a whole run/)
  refused(['--write', '--scenario', 'blocked'], /--write takes a whole run/)
})

test('the help names every scenario and no line is too long', () => {
  const names = Array.from({ length: 15 }, (_, index) => `scenario-${index}`)
  const text = usage(names)
  for (const name of names) assert.ok(text.includes(name), name)
  assert.ok(text.split('\n').every((line) => line.length <= 80))
})
