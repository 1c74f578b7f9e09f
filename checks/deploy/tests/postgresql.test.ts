// The profile postgresql of the shipped compose file: the portal keeps its ledger there, serves pages without it, and
// no accepted record is lost with the database's container.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { skipUnless } from '../../../test/support/requirement.ts'
import { assertNothingLost, visit } from './acceptances.ts'
import { docker, dockerAsync, inspect } from './docker.ts'
import { images } from './images.ts'
import { type Stack, startStack } from './stack.ts'

const skip = skipUnless(images.postgresql !== '', 'needs the image of PostgreSQL, from its npm package')

describe('the deployment with PostgreSQL', { skip }, () => {
  let stack: Stack
  before(async () => {
    stack = await startStack({ hasPostgresql: true })
  })
  after(() => stack?.remove())

  test('the portal’s ledger is in PostgreSQL and durable', async () => {
    const { stdout } = await stack.gatewayctl(['portal', 'status', '--json'])
    const database = JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === 'database')
    assert.equal(database.state, 'ok', stdout)
    const lines = docker('logs', stack.container('portal')).split('\n')
    const opened = lines.flatMap((line) => (line.includes('"ledger open"') ? [JSON.parse(line)] : []))
    assert.equal(opened.at(-1)?.durability.settings.fsync, 'on')
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
    const { HostConfig, Config } = inspect(stack.container('postgresql'))
    assert.equal(Config.User, '999:999')
    assert.equal(HostConfig.ReadonlyRootfs, true)
    assert.deepEqual([HostConfig.CapDrop, HostConfig.CapAdd ?? []], [['ALL'], []])
    assert.deepEqual(HostConfig.SecurityOpt, ['no-new-privileges:true'])
    assert.ok(HostConfig.Memory > 0 && HostConfig.PidsLimit > 0)
    assert.equal(HostConfig.RestartPolicy.Name, 'unless-stopped')
    assert.deepEqual(HostConfig.LogConfig.Config, inspect(stack.container('portal')).HostConfig.LogConfig.Config)
    assert.ok('max-size' in HostConfig.LogConfig.Config)
    assert.match(docker('exec', stack.container('postgresql'), 'cat', '/proc/1/status'), /^Uid:\s+999\s/m)
  })

  test('only the portal’s network reaches it, and it publishes nothing', () => {
    const { HostConfig, NetworkSettings } = inspect(stack.container('postgresql'))
    assert.deepEqual(HostConfig.PortBindings, {})
    const networks = Object.keys(NetworkSettings.Networks).map((name) => name.replace(/^.*_/, ''))
    assert.deepEqual(networks, ['database'])
  })

  // When the database stops between the engine's response and the record, the row stays pending.
  const states = ['accepted', 'pending', 'unknown']

  test('the database restarts: no acceptance is lost', () =>
    assertNothingLost(stack, () => dockerAsync('restart', '--time', '10', stack.container('postgresql')), states))

  test('the database is recreated over its volume: no acceptance is lost, and pages are served meanwhile', () =>
    assertNothingLost(stack, recreate, states))

  async function recreate(): Promise<void> {
    await dockerAsync('rm', '--force', stack.container('postgresql'))
    const [redirect = ''] = stack.verdicts('http://casino.localhost/', 1)
    assert.equal((await visit(stack, redirect)).status, 200)
    stack.compose('up', '--detach', '--no-build', '--no-deps', 'postgresql')
  }
})

describe('the documented move from SQLite to PostgreSQL', { skip }, () => {
  let stack: Stack
  before(async () => {
    stack = await startStack()
  })
  after(() => stack?.remove())

  test('docs/run.md: every acceptance is in PostgreSQL, which the portal then uses', async () => {
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
    assert.ok(lines.some((line) => line.includes('"dialect":"postgres"')))
  })
})
