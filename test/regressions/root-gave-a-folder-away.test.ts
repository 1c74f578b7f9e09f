// Before each start of the engine, root created the folder of the proxy's CA in the engine's own folder. A link there, which
// the engine's user can create, was followed: its target, such as /etc, then belonged to that user; since 2026-11-23. The folder
// is now created by the engine's user, in the group of the proxy.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { settings } from '../deploy/units.ts'
import { hasCommand, skipUnless } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skip = skipUnless(process.getuid?.() === 0 && hasCommand('setpriv'), 'needs root and setpriv')
/** Ids without an account on this machine. */
const IDS: Readonly<Record<string, number>> = { 'gateway-engine': 63_801, 'gateway-bump': 63_804 }
const STATE = '/var/lib/gateway-engine'

/** @returns the engine's folder, and a function that runs the unit's step before the start. */
function setUp(t: TestContext) {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const state = join(folder, 'gateway-engine')
  mkdirSync(state, { mode: 0o755 })
  chownSync(state, IDS['gateway-engine'] as number, 63_802)
  const [first = '', ...rest] = settings('gateway-engine.service', 'ExecStartPre').map((word) =>
    word
      .replace(/^\+/, '')
      .replace(STATE, state)
      .replace(/^gateway-(engine|bump)$/, (name) => `${IDS[name]}`),
  )
  return { folder, state, prepare: () => spawnSync(first, rest, { encoding: 'utf8', timeout: 10_000 }) }
}

test('a link in the place of the folder gives away nothing', { skip }, (t) => {
  const { folder, state, prepare } = setUp(t)
  const target = join(folder, 'etc')
  mkdirSync(target, { mode: 0o755 })
  symlinkSync(target, join(state, 'bump'))
  const { status, stderr } = prepare()
  const { mode, uid, gid } = lstatSync(target)
  assert.deepEqual([mode & 0o7777, uid, gid], [0o755, 0, 0])
  assert.notEqual(status, 0)
  assert.match(stderr, /bump/)
})

test('a missing folder gets its owner, its group and its mode, and so does one with others', { skip }, (t) => {
  const { state, prepare } = setUp(t)
  const bump = join(state, 'bump')
  for (const change of [
    () => {},
    () => {
      chownSync(bump, IDS['gateway-engine'] as number, 63_802)
      chmodSync(bump, 0o700)
    },
  ]) {
    change()
    const { status, stderr } = prepare()
    assert.equal(status, 0, stderr)
    const { mode, uid, gid } = lstatSync(bump)
    assert.deepEqual([mode & 0o7777, uid, gid], [0o2750, IDS['gateway-engine'], IDS['gateway-bump']])
  }
})
