import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOptions } from '../../bench/options.ts'

const NAMES = ['blocked', 'relay', 'gateway']

test('by default everything is measured, and nothing is written; --quick is one short round', () => {
  const { scenarios, seconds, rounds, peers, write } = readOptions([], NAMES) ?? assert.fail()
  assert.deepEqual([scenarios, seconds, rounds, peers, write], [NAMES, 1, 24, true, false])
  const quick = readOptions(['--quick', '--rounds', '4', '--scenario', 'relay', '--no-peers'], NAMES) ?? assert.fail()
  assert.deepEqual([quick.seconds, quick.rounds, quick.scenarios, quick.peers], [0.5, 4, ['relay'], false])
  assert.equal(readOptions(['--write', '--scenario', 'gateway'], NAMES)?.isGatewayOnly, true)
  assert.equal(readOptions(['--help'], NAMES), undefined)
})

test('invalid options are rejected; a partial run would replace the record of a whole one', () => {
  for (const [words, message] of [
    ['--seconds 0', /--seconds must be a number up to 3600, not 0/],
    ['--rounds 1.5', /--rounds must be a whole number/],
    ['--scenario nothing', /--scenario must be one of blocked, relay, gateway, not nothing/],
    ['--unknown', /unknown/],
    ['--write --quick', /--write needs a whole run/],
    ['--write --scenario blocked --scenario relay', /--write needs a whole run/],
  ] as const) {
    assert.throws(() => readOptions(words.split(' '), NAMES), { message })
  }
})
