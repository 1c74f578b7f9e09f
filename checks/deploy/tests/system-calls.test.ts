// A portal needs no more system calls than its unit allows.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newSecret } from '../../../src/gatewayctl/secret/generate.ts'
import { skip } from '../../../test/deploy/units.ts'
import { until } from '../../../test/support/until.ts'
import { docker } from './docker.ts'
import { images } from './images.ts'
import { writeSeccompProfile } from './seccomp.ts'

test('a portal runs with the system calls that the unit allows', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'seccomp-'))
  const profile = join(folder, 'profile.json')
  writeSeccompProfile('gateway-portal.service', profile)
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
