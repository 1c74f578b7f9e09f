import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOptions, usage } from '../../bench/options.ts'

const NAMES = ['blocked', 'relay']

test('without arguments everything is measured, with peers, and nothing is written', () => {
  const options = readOptions([], NAMES)
  assert.deepEqual(options, {
    scenarios: NAMES,
    seconds: 1,
    rounds: 24,
    connections: 32,
    peers: true,
    quick: false,
    write: false,
    isGatewayOnly: false,
  })
})

test('each option is parsed', () => {
  const args = ['--scenario', 'relay', '--seconds', '0.5', '--rounds', '3', '--connections', '8', '--no-peers']
  assert.deepEqual(readOptions(args, NAMES), {
    scenarios: ['relay'],
    seconds: 0.5,
    rounds: 3,
    connections: 8,
    peers: false,
    quick: false,
    write: false,
    isGatewayOnly: false,
  })
  assert.equal(readOptions(['--peers'], NAMES)?.peers, true)
  assert.equal(readOptions(['--write'], NAMES)?.write, true)
  assert.equal(readOptions(['--help'], NAMES), undefined)
  const gateway = readOptions(['--write', '--scenario', 'gateway'], [...NAMES, 'gateway'])
  assert.deepEqual([gateway?.write, gateway?.isGatewayOnly], [true, true])
})

test('--quick is one short round, unless other options override it', () => {
  const { seconds, rounds } = readOptions(['--quick'], NAMES) ?? {}
  assert.deepEqual([seconds, rounds], [0.5, 1])
  assert.equal(readOptions(['--quick', '--rounds', '4'], NAMES)?.rounds, 4)
})

test('invalid options are rejected with a message', () => {
  const refused = (args: readonly string[], message: RegExp) =>
    assert.throws(() => readOptions(args, NAMES), { message })
  refused(['--seconds', '0'], /--seconds must be a number up to 3600, not 0/)
  refused(['--rounds', '1.5'], /--rounds must be a whole number/)
  refused(['--connections', 'many'], /--connections must be a whole number/)
  refused(['--scenario', 'nothing'], /--scenario must be one of blocked, relay, not nothing/)
  refused(['--unknown'], /unknown/)
  // A partial run would replace the record of a whole one.
  refused(['--write', '--quick'], /--write needs a whole run/)
  refused(['--write', '--scenario', 'blocked'], /--write needs a whole run/)
  refused(['--write', '--scenario', 'blocked', '--scenario', 'relay'], /--write needs a whole run/)
})

test('the help lists every scenario, and no line is too long', () => {
  const names = Array.from({ length: 15 }, (_, index) => `scenario-${index}`)
  const text = usage(names)
  for (const name of names) assert.ok(text.includes(name), name)
  assert.ok(text.split('\n').every((line) => line.length <= 80))
})
