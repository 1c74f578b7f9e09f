// How variables and options select the ledger, and the errors without one.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { databases } from '../support/databases.ts'
import { emptyLedger, fill } from '../support/ledgers.ts'
import { postgresLocation, postgresUrl } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { databaseUrl, gatewayctl } from './gatewayctl.ts'

const LIST = ['portal', 'acceptances', 'list', '--json']
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? assert.fail()
const totalOf = (stdout: string) => JSON.parse(stdout).total

test('the portal’s variables, and nothing else of its configuration; options win', async (t) => {
  const one = await emptyLedger(t, sqlite)
  const other = await emptyLedger(t, sqlite)
  await fill(one, 1)
  await fill(other, 2)
  const file = join(temporaryFolder(t), 'database-url')
  writeFileSync(file, `${databaseUrl(other)}\n`)

  const unfit = {
    GATEWAY_CAPTIVE_SHARED_SECRET: 'short',
    ENGINE_INTERNAL_URL: 'nonsense',
  }
  const [variable, byFile, option, optionFile] = await Promise.all([
    gatewayctl(LIST, { ledger: one, env: unfit }),
    gatewayctl(LIST, { env: { GATEWAY_CAPTIVE_DATABASE_URL_FILE: file } }),
    gatewayctl([...LIST, '--database-url', databaseUrl(other)], { ledger: one }),
    gatewayctl([...LIST, '--database-url-file', file], { ledger: one }),
  ])
  assert.equal(totalOf(variable.stdout), 1, variable.stderr)
  for (const { stdout, stderr } of [byFile, option, optionFile]) assert.equal(totalOf(stdout), 2, stderr)
})

test('a URL without a password is used with the portal’s: of its variables, or of the file in GATEWAY_HOME', {
  skip: postgres.skip,
}, async (t) => {
  const location = await postgres.create(t)
  assert.ok(location.dialect === 'postgres')
  await (await openLedger(location, { clock: Date.now, migrate: true })).close()
  const bare = new URL(postgresUrl(location))
  const { password } = bare
  bare.password = ''
  const home = temporaryFolder(t)
  mkdirSync(join(home, 'secrets'))
  const file = join(home, 'secrets', 'database-password')
  const env = { GATEWAY_HOME: home }
  const withoutPassword = await gatewayctl([...LIST, '--database-url', bare.href], { env })
  assert.equal(withoutPassword.status, 1, withoutPassword.stdout)
  writeFileSync(file, `${password}\n`)
  for (const { stdout, stderr } of await Promise.all([
    gatewayctl([...LIST, '--database-url', bare.href], { env }),
    gatewayctl(LIST, { env: { ...env, GATEWAY_CAPTIVE_DATABASE_URL: bare.href } }),
    gatewayctl(LIST, {
      env: { GATEWAY_CAPTIVE_DATABASE_URL: bare.href, GATEWAY_CAPTIVE_DATABASE_PASSWORD_FILE: file },
    }),
  ])) {
    assert.equal(totalOf(stdout), 0, stderr)
  }
})

test('a file with an invalid URL is named', async (t) => {
  const file = join(temporaryFolder(t), 'url')
  writeFileSync(file, 'mysql://x:p4ssw0rd-never-shown@db/x')
  const { status, stderr } = await gatewayctl([...LIST, '--database-url-file', file])
  assert.equal(status, 2)
  assert.ok(stderr.includes(`  --database-url-file: the content of "${file}" must be sqlite:///`), stderr)
  assert.doesNotMatch(stderr, /p4ssw0rd/)
})

test('an invalid database URL is misconfiguration, reported without its password', async () => {
  const password = 'p4ssw0rd-never-shown'
  const cases: readonly [readonly string[], Record<string, string>, RegExp][] = [
    [
      [],
      {},
      /GATEWAY_CAPTIVE_DATABASE_URL must be set, itself or as GATEWAY_CAPTIVE_DATABASE_URL_FILE: .*GATEWAY_HOME.*--database-url-file/,
    ],
    [[], { GATEWAY_CAPTIVE_DATABASE_URL: `mysql://x:${password}@db/x` }, /GATEWAY_CAPTIVE_DATABASE_URL must be sqlite/],
    [[], { GATEWAY_CAPTIVE_DATABASE_URL_FILE: '/nowhere/at/all' }, /_URL_FILE must name a file that can be read/],
    [['--database-url', `mysql://x:${password}@db/x`], {}, / {2}--database-url must be sqlite/],
    [['--database-url-file', '/nowhere/at/all'], {}, / {2}--database-url-file must name a file that can be read/],
  ]
  const outcomes = await Promise.all(cases.map(([args, env]) => gatewayctl([...LIST, ...args], { env })))
  for (const [at, { status, stdout, stderr }] of outcomes.entries()) {
    assert.equal(status, 2, stderr)
    assert.equal(stdout, '')
    assert.match(stderr, cases[at]?.[2] ?? assert.fail())
    assert.doesNotMatch(stderr, new RegExp(password))
  }
})

test('a missing database fails with one line, and is not created', async (t) => {
  const path = join(temporaryFolder(t), 'portal.db')
  const verbs = [['list'], ['export'], ['show', 'x'], ['prune', '--older-than', '2d', '--yes']]
  const outcomes = await Promise.all(
    verbs.map((verb) => gatewayctl(['portal', 'acceptances', ...verb], { ledger: { dialect: 'sqlite', path } })),
  )
  for (const { status, stdout, stderr } of outcomes) {
    assert.equal(status, 1)
    assert.equal(stdout, '')
    assert.equal(stderr, `error: the ledger could not be opened: there is no file ${path}\n`)
  }
  assert.equal(existsSync(path), false)

  const url = 'postgresql://portal:p4ssw0rd-never-shown@127.0.0.1:1/portal'
  const { status, stderr } = await gatewayctl(LIST, { ledger: postgresLocation(url) })
  assert.equal(status, 1)
  assert.match(stderr, /^error: the ledger could not be opened: .*ECONNREFUSED.*\n$/)
  assert.doesNotMatch(stderr, /p4ssw0rd/)
})

test('sqlite:///var/…: the error explains that an absolute path takes four slashes', async (t) => {
  const hint = /: an absolute path takes four slashes, sqlite:\/\/\/\/var\/lib\/portal-of-nobody\/portal\.db\n$/
  const url = 'sqlite:///var/lib/portal-of-nobody/portal.db'
  const GATEWAY_HOME = temporaryFolder(t)
  writeFileSync(join(GATEWAY_HOME, 'compose.yaml'), 'services: { portal: {} }\n')
  writeFileSync(join(GATEWAY_HOME, '.env'), `GATEWAY_CAPTIVE_DATABASE_URL=${url}\n`)
  for (const env of [{ GATEWAY_CAPTIVE_DATABASE_URL: url }, { GATEWAY_HOME }]) {
    const { status, stderr } = await gatewayctl(LIST, { env })
    assert.equal(status, 1)
    assert.match(stderr, hint)
  }
  const absolute = await gatewayctl(LIST, { env: { GATEWAY_CAPTIVE_DATABASE_URL: url.replace('///', '////') } })
  assert.equal(absolute.status, 1)
  assert.doesNotMatch(absolute.stderr, /four slashes/)
})

test('a ledger in the portal’s memory', async () => {
  const { status, stderr } = await gatewayctl(LIST, { env: { GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://' } })
  assert.equal(status, 1)
  assert.match(stderr, /in the memory of the portal/)
})
