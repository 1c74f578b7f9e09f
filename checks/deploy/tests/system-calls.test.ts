// The system calls that the portal's unit allows are enough for a portal.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newSecret } from '../../../src/gatewayctl/secret/generate.ts'
import { analyze, read, skip } from '../../../test/deploy/units.ts'
import { until } from '../../../test/support/until.ts'
import { docker } from './docker.ts'
import { images } from './images.ts'

/** The system calls that the portal's unit leaves, as systemd on this machine understands the names of their groups. */
function allowedCalls(): readonly string[] {
  const expand = (name: string): readonly string[] =>
    name.startsWith('@')
      ? analyze('syscall-filter', name)
          .stdout.split('\n')
          .slice(1)
          .map((line) => line.trim())
          .filter((line) => line !== '' && !line.startsWith('#'))
          .flatMap(expand)
      : [name]
  const allowed = new Set(expand('@default'))
  const filters = [...read('gateway-portal.service').matchAll(/^SystemCallFilter=(~?)(.*)$/gm)]
  assert.ok(filters.length > 0, 'no SystemCallFilter')
  for (const [, not, groups = ''] of filters) {
    for (const call of groups.split(' ').flatMap(expand)) {
      if (not === '') allowed.add(call)
      else allowed.delete(call)
    }
  }
  return [...allowed]
}

test('a portal lives on the system calls that the unit leaves', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'seccomp-'))
  const profile = join(folder, 'profile.json')
  const calls = allowedCalls()
  assert.ok(calls.includes('futex') && !calls.includes('mount'))
  const syscalls = [{ names: calls, action: 'SCMP_ACT_ALLOW' }]
  writeFileSync(profile, JSON.stringify({ defaultAction: 'SCMP_ACT_ERRNO', syscalls }))
  const container = docker(
    ...['run', '--detach', '--network', 'none', '--read-only', '--cap-drop', 'ALL'],
    ...['--security-opt', `seccomp=${profile}`, '--security-opt', 'no-new-privileges'],
    ...['--env', `GATEWAY_CAPTIVE_SHARED_SECRET=${newSecret()}`, '--env', `GATEWAY_CAPTIVE_SECRET_KEY=${newSecret()}`],
    images.portal,
  )
  t.after(() => {
    docker('rm', '--force', '--volumes', container)
    rmSync(folder, { recursive: true })
  })
  await until(
    () => {
      const { Status, Health } = JSON.parse(docker('inspect', '--format', '{{json .State}}', container))
      assert.equal(Status, 'running', docker('logs', container))
      return Health.Status === 'healthy'
    },
    30,
    250,
  )
})
