// The shipped deployment moves to the profile postgresql: the portal keeps its ledger there, serves pages without it, and no accepted
// record is lost, by the move or with the database's container.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { skipUnless } from '../../../test/support/requirement.ts'
import { images } from '../images.ts'
import { assertNothingLost, visit } from './acceptances.ts'
import { assertConfined, docker, dockerAsync, inspect, networksOf } from './docker.ts'
import { type Stack, startStack } from './stack.ts'

const skip = skipUnless(images.postgresql !== undefined, 'needs the image of PostgreSQL, from its npm package')

describe('the deployment with PostgreSQL', { skip }, () => {
  let stack: Stack
  before(async () => {
    stack = await startStack()
  })
  after(() => stack?.remove())

  test('docs/run.md: every acceptance is in PostgreSQL, which the portal then uses, and which is durable', async () => {
    await assertNothingLost(stack, async () => {})
    const total = () => JSON.parse(stack.inside('portal', 'acceptances', 'list', '--json', '--limit', '1')).total
    const before = total()
    assert.ok(before > 0)
    assert.match(
      stack.documented('docs/run.md', '--to-database-url postgresql://'),
      /^source +(SHA-256 \S+)\ndestination +\1$/m,
    )
    await stack.ready()
    assert.equal(total(), before)
    const lines = docker('logs', stack.container('portal')).split('\n')
    const opened = lines.flatMap((line) => (line.includes('"ledger open"') ? [JSON.parse(line)] : []))
    assert.equal(opened.at(-1)?.durability.settings.fsync, 'on')
    assert.ok(lines.some((line) => line.includes('"dialect":"postgres"')))
  })

  test('the password is in a file only, which portal and database read', () => {
    const password = readFileSync(join(stack.home, 'secrets', 'database-password'), 'utf8').trim()
    const { stdout } = spawnSync('docker', ['inspect', stack.container('portal'), stack.container('postgresql')], {
      encoding: 'utf8',
    })
    assert.ok(!stdout.includes(password) && !readFileSync(join(stack.home, '.env'), 'utf8').includes(password))
    for (const service of ['portal', 'postgresql']) {
      assert.equal(docker('exec', stack.container(service), 'cat', '/run/secrets/database-password'), password)
    }
  })

  test('the database: own user, read-only, without capabilities, within limits, and with a rotated log', () => {
    const container = stack.container('postgresql')
    assertConfined(container, /^999:999$/)
    const { HostConfig } = inspect(container)
    assert.deepEqual(HostConfig.LogConfig.Config, inspect(stack.container('portal')).HostConfig.LogConfig.Config)
    assert.ok('max-size' in HostConfig.LogConfig.Config)
    assert.match(docker('exec', container, 'cat', '/proc/1/status'), /^Uid:\s+999\s/m)
  })

  test('only the portal’s network reaches it, and it publishes nothing', () => {
    const container = stack.container('postgresql')
    assert.deepEqual(inspect(container).HostConfig.PortBindings, {})
    assert.deepEqual(networksOf(container), ['database'])
  })

  // When the database stops between the engine's response and the record, the row stays pending.
  const states = ['accepted', 'pending', 'unknown']

  test('the database is recreated over its volume: no acceptance is lost, and pages are served meanwhile', () =>
    assertNothingLost(stack, recreate, states))

  async function recreate(): Promise<void> {
    await dockerAsync('rm', '--force', stack.container('postgresql'))
    const [redirect = ''] = stack.verdicts('http://casino.localhost/', 1)
    assert.equal((await visit(stack, redirect)).status, 200)
    stack.compose('up', '--detach', '--no-build', '--no-deps', 'postgresql')
  }
})
