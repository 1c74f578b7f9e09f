// How variables, GATEWAY_HOME and options select the ledger, and the errors without one.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { databases } from '../support/databases.ts'
import { emptyLedger, fill } from '../support/ledgers.ts'
import { postgresLocation, postgresUrl } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { databaseUrl, gatewayctl } from './gatewayctl.ts'

const LIST = ['portal', 'acceptances', 'list', '--json']
const NAME = 'GATEWAY_CAPTIVE_DATABASE_URL'
const PASSWORD = 'p4ssw0rd-never-shown'
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? assert.fail()

test('of the folder, of the environment by value or by file, of options: the later wins, whatever else is wrong', async (t) => {
  const one = await emptyLedger(t, sqlite)
  const other = await emptyLedger(t, sqlite)
  await fill(one, 1)
  await fill(other, 2)
  const home = temporaryFolder(t)
  writeFileSync(join(home, 'compose.yaml'), 'services: { portal: {} }\n')
  writeFileSync(join(home, '.env'), `${NAME}=${databaseUrl(one)}\n`)
  const file = join(home, 'database-url')
  writeFileSync(file, `${databaseUrl(other)}\n`)
  const env = { GATEWAY_HOME: home, GATEWAY_CAPTIVE_SHARED_SECRET: 'short', ENGINE_INTERNAL_URL: 'nonsense' }
  const outcomes = await Promise.all([
    gatewayctl(LIST, { env }),
    gatewayctl(LIST, { env, ledger: other }),
    gatewayctl(LIST, { env: { ...env, [`${NAME}_FILE`]: file } }),
    gatewayctl([...LIST, '--database-url', databaseUrl(other)], { ledger: one }),
    gatewayctl([...LIST, '--database-url-file', file], { ledger: one }),
  ])
  const totals = outcomes.map(({ stdout, stderr }) => (stdout === '' ? stderr : JSON.parse(stdout).total))
  assert.deepEqual(totals, [1, 2, 2, 2, 2])
})

test('a URL without a password is used with the portal’s: of its variables, or of the file in GATEWAY_HOME', {
  skip: postgres.skip,
}, async (t) => {
  const location = await emptyLedger(t, postgres)
  assert.ok(location.dialect === 'postgres')
  const bare = new URL(postgresUrl(location))
  const { password } = bare
  bare.password = ''
  const home = temporaryFolder(t)
  mkdirSync(join(home, 'secrets'))
  const file = join(home, 'secrets', 'database-password')
  const env = { GATEWAY_HOME: home }
  const byOption = [...LIST, '--database-url', bare.href]
  assert.equal((await gatewayctl(byOption, { env })).status, 1)
  writeFileSync(file, `${password}\n`)
  for (const { stdout, stderr } of await Promise.all([
    gatewayctl(byOption, { env }),
    gatewayctl(LIST, { env: { ...env, [NAME]: bare.href } }),
    gatewayctl(LIST, { env: { [NAME]: bare.href, GATEWAY_CAPTIVE_DATABASE_PASSWORD_FILE: file } }),
  ])) {
    assert.equal(JSON.parse(stdout).total, 0, stderr)
  }
})

test('an invalid database URL is misconfiguration, named and reported without its password', async (t) => {
  const url = `mysql://x:${PASSWORD}@db/x`
  const file = join(temporaryFolder(t), 'url')
  writeFileSync(file, url)
  const cases: readonly [readonly string[], Record<string, string>, RegExp][] = [
    [[], {}, /_URL must be set, itself or as GATEWAY_CAPTIVE_DATABASE_URL_FILE: .*GATEWAY_HOME.*--database-url-file/],
    [[], { [NAME]: url }, /GATEWAY_CAPTIVE_DATABASE_URL must be sqlite/],
    [[], { [`${NAME}_FILE`]: '/nowhere/at/all' }, /_URL_FILE must name a file that can be read/],
    [['--database-url', url], {}, / {2}--database-url must be sqlite/],
    [['--database-url-file', '/nowhere/at/all'], {}, / {2}--database-url-file must name a file that can be read/],
    [['--database-url-file', file], {}, / {2}--database-url-file: the content of "\/.*url" must be sqlite:\/\/\//],
  ]
  for (const [args, env, message] of cases) {
    const { status, stdout, stderr } = await gatewayctl([...LIST, ...args], { env })
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, message)
    assert.ok(!stderr.includes(PASSWORD))
  }
})

test('a missing database fails with one line, and is not created', async (t) => {
  const path = join(temporaryFolder(t), 'portal.db')
  for (const verb of [['list'], ['export'], ['show', 'x'], ['prune', '--older-than', '2d', '--yes']]) {
    assert.deepEqual(await gatewayctl(['portal', 'acceptances', ...verb], { ledger: { dialect: 'sqlite', path } }), {
      status: 1,
      stdout: '',
      stderr: `error: the ledger could not be opened: there is no file ${path}\n`,
    })
  }
  assert.equal(existsSync(path), false)

  const ledger = postgresLocation(`postgresql://portal:${PASSWORD}@127.0.0.1:1/portal`)
  const { status, stderr } = await gatewayctl(LIST, { ledger })
  assert.equal(status, 1)
  assert.match(stderr, /^error: the ledger could not be opened: .*ECONNREFUSED.*\n$/)
  assert.ok(!stderr.includes(PASSWORD))
})

test('a path with three slashes: the error explains that an absolute one takes four; and a ledger in memory', async () => {
  for (const [url, message] of [
    [
      'sqlite:///var/lib/nobody/portal.db',
      /an absolute path takes four slashes, sqlite:\/{4}var\/lib\/nobody\/portal\.db\n$/,
    ],
    ['sqlite:////var/lib/nobody/portal.db', /there is no file \/var\/lib\/nobody\/portal\.db\n$/],
    ['sqlite://', /in the memory of the portal/],
  ] as const) {
    const { status, stderr } = await gatewayctl(LIST, { env: { [NAME]: url } })
    assert.equal(status, 1)
    assert.match(stderr, message)
  }
})
