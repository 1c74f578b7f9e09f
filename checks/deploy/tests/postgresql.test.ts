// The profile postgresql of the shipped compose file: the portal keeps its ledger there, goes on without it where it can,
// and no accepted record is lost with the database's container.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { losesNothing, visit } from './acceptances.ts'
import { docker, dockerMeanwhile, inspect } from './docker.ts'
import { images } from './images.ts'
import { type Stack, startStack } from './stack.ts'

const skip = images.postgresql === '' && 'no image of PostgreSQL could be made'

describe('the deployment with PostgreSQL', { skip }, () => {
  let stack: Stack
  before(async () => {
    stack = await startStack({ hasPostgresql: true })
  })
  after(() => stack?.remove())

  test('the portal’s ledger is there, and durable', async () => {
    const { stdout } = await stack.gatewayctl(['portal', 'status', '--json'])
    const database = JSON.parse(stdout).findings.find(({ name }: { name: string }) => name === 'database')
    assert.equal(database.state, 'ok', stdout)
    const lines = docker('logs', stack.container('portal')).split('\n')
    const opened = lines.flatMap((line) => (line.includes('"ledger open"') ? [JSON.parse(line)] : []))
    assert.equal(opened.at(-1)?.durability.settings.fsync, 'on')
  })

  test('it runs as its own user, read-only, without capabilities, within limits, and its log is rotated', () => {
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

  // Where the database went away between the engine's answer and its record, the row stays pending.
  const states = ['accepted', 'pending', 'unknown']

  test('the database restarts: no acceptance is lost', () =>
    losesNothing(stack, () => dockerMeanwhile('restart', '--time', '10', stack.container('postgresql')), states))

  test('the database is recreated over its volume: no acceptance is lost, and pages are served meanwhile', () =>
    losesNothing(stack, makeAnew, states))

  async function makeAnew(): Promise<void> {
    await dockerMeanwhile('rm', '--force', stack.container('postgresql'))
    const [redirect = ''] = stack.verdicts('http://casino.localhost/', 1)
    assert.equal((await visit(stack, redirect)).status, 200)
    stack.compose('up', '--detach', '--no-build', '--no-deps', 'postgresql')
  }
})
