// docs/engine.md agrees with the code: options, keys, problem types, examples.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as contract from '../../src/contract/acknowledgement.ts'
import { HELP } from '../../src/engine/settings/command-line.ts'
import { fileShape } from '../../src/engine/settings/file-shape.ts'
import { configure, policy } from './running-engine.ts'

const DOCUMENT = readFileSync(new URL('../../docs/engine.md', import.meta.url), 'utf8')

/** The first cells of all table rows. */
const CELLS = [...DOCUMENT.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell ?? '')

test('every option of the help, and no other', () => {
  const options = (text: string) => [...text.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option)
  const inHelp = new Set(options(HELP.slice(HELP.indexOf('\n\n'))))
  assert.deepEqual(new Set(options(CELLS.join())), inHelp)
})

test('every key of the file', () => {
  const { captive_portal, control, certificates, override, rules: _, ...topLevel } = fileShape.shape
  assert.ok(override)
  const expected = [
    ...Object.keys(topLevel).map((key) => `\`${key}\``),
    ...Object.keys(captive_portal.shape).map((key) => `\`[captive_portal]\` \`${key}\``),
    ...Object.keys(control.unwrap().shape).map((key) => `\`[control]\` \`${key}\``),
    ...Object.keys(certificates.shape).map((key) => `\`[certificates]\` \`${key}\``),
    ...Object.keys(override.unwrap().shape).map((key) => `\`[override]\` \`${key}\``),
  ]
  for (const cell of expected) assert.ok(CELLS.includes(cell), `${cell} is not documented`)
})

test('every problem type', () => {
  for (const type of [contract.CODE_REJECTED_PROBLEM, contract.EXPIRED_PROBLEM, contract.LOCKED_OUT_PROBLEM]) {
    assert.ok(DOCUMENT.includes(`\`${type}\``), type)
  }
})

test('the examples work', () => {
  const [rule = '', ...others] = [...DOCUMENT.matchAll(/```toml\n(.*?)```/gs)].map(([, toml]) => toml)
  assert.equal(configure(policy(rule)).policy.rules.length, 1)
  assert.deepEqual(others, [])
})
