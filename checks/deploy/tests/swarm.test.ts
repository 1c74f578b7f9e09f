// `docker stack` accepts the stack for Docker Swarm.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { skipUnless } from '../../../test/support/requirement.ts'

const FOLDER = join(import.meta.dirname, '../../../deploy/swarm')
const FILES = ['stack.yaml', 'postgresql.yaml']

// Docker 20.10 of Debian 12 has no such command, and Docker may be missing.
const { stdout: help } = spawnSync('docker', ['stack', '--help'], { encoding: 'utf8' })
const skip = skipUnless(
  /^ +config /m.test(help ?? ''),
  'needs `docker stack config`: Docker 23 or newer',
  'docker-stack',
)

test('Docker accepts it', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'swarm-stack-'))
  try {
    for (const file of FILES) copyFileSync(join(FOLDER, file), join(folder, file))
    copyFileSync(join(FOLDER, 'portal.env.example'), join(folder, 'portal.env'))
    const words = ['stack', 'config', ...FILES.flatMap((file) => ['-c', join(folder, file)])]
    const { services } = parse(execFileSync('docker', words, { encoding: 'utf8', stdio: 'pipe' }))
    assert.equal(services.portal.environment.GATEWAY_CAPTIVE_TRUSTED_PROXIES, '10.125.0.0/24')
    assert.equal(services.portal.environment.GATEWAY_CAPTIVE_BASE_URL, 'https://portal.example')
    assert.equal(services.terminator.secrets[0].mode, 0o400)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
