// The portal's command line: `--check` finds what would keep a start from succeeding, and changes nothing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { freePort } from '../../test/support/free-port.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../test/support/hostile-engine.ts'
import { startPortalProcess } from '../../test/support/portal-process.ts'

const QUIET = { GATEWAY_CAPTIVE_SSL_BUMP: 'off', GATEWAY_ORG_NAME: 'Northwind Institute' }

async function run(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nodeOptions: readonly string[] = [],
) {
  const portal = startPortalProcess(t, { ...QUIET, ...env }, nodeOptions, undefined, args)
  const status = await portal.ended
  const warnings = portal.lines.filter((line) => line.startsWith('warning: '))
  return { ...portal, status, warnings, stdout: portal.lines.join('\n'), stderr: portal.errors() }
}

const check = (t: TestContext, env?: Readonly<Record<string, string>>, nodeOptions?: readonly string[]) =>
  run(t, ['--check'], env, nodeOptions)

test('--version and --help, whatever the configuration; any other argument is misuse', async (t) => {
  const misconfigured = { GATEWAY_CAPTIVE_LISTEN_PORT: 'http' }
  const version = await run(t, ['--version'], misconfigured)
  assert.deepEqual([version.status, version.stderr], [0, ''])
  assert.match(version.stdout, /^\d{4}\.\d+\.\d+$/)
  const help = await run(t, ['--help'], misconfigured)
  assert.deepEqual([help.status, help.stderr], [0, ''])
  assert.match(help.stdout, /^Usage: .*\n(.*\n)* {2}--check /)
  for (const args of [['--chek'], ['start'], ['--check=yes']]) {
    const { status, stdout, stderr } = await run(t, args)
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /\n\nUsage: /)
  }
})

test('--check: no problem, the warnings of a start, and nothing is created', async (t) => {
  const { status, lines, stderr, warnings, databasePath } = await check(t)
  assert.deepEqual([status, stderr, lines.at(-1)], [0, '', 'no problems'])
  assert.ok(warnings.includes('warning: ENGINE_INTERNAL_URL is empty: acknowledgements are turned off'))
  assert.match(warnings.join(), /the ledger is (in a folder for temporary files|memory-backed): /)
  assert.equal(existsSync(databasePath), false)
})

test('--check of a ledger: one that exists is not changed; a folder that is missing, another file, a later version', async (t) => {
  const { databasePath: path } = startPortalProcess(t, {})
  const folder = dirname(path)
  const granted = [`--allow-fs-read=${folder}/*`, `--allow-fs-write=${folder}/*`]
  const checkOf = (name: string, nodeOptions: readonly string[] = granted) =>
    check(t, { GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${folder}/${name}` }, nodeOptions)
  const problemOf = async (name: string) => {
    const { status, stderr } = await checkOf(name)
    assert.equal(status, 2)
    const [, problem = ''] = /^The configuration has 1 problem:\n {2}(.*)\n$/.exec(stderr) ?? []
    return problem.replace(/^GATEWAY_CAPTIVE_DATABASE_URL must name a database that can be used; /, '')
  }
  const location = { dialect: 'sqlite', path: `${folder}/good.db` } as const
  await (await openLedger(location, { clock: Date.now, migrate: true })).close()
  assert.equal((await checkOf('good.db')).status, 0)
  using database = new DatabaseSync(location.path)
  database.exec("delete from ledger_migration where name = '005-expand-shown-everywhere'")
  const outdated = await checkOf('good.db')
  assert.equal(outdated.status, 0)
  assert.ok(outdated.warnings.includes('warning: the next start upgrades the tables of the ledger: back it up first'))
  database.exec("insert into ledger_migration values ('999-contract-later', '2030-01-01T00:00:00.000Z')")
  assert.match(await problemOf('good.db'), /the database is of a later version: 999-contract-later/)
  writeFileSync(`${folder}/other.db`, 'no database, but long enough to be seen as another file')
  assert.match(await problemOf('other.db'), /^the file is not an SQLite database/)
  assert.match(await problemOf('missing/portal.db'), /^there is no such file, folder or socket \(ENOENT\)/)
  writeFileSync(`${folder}/empty.db`, '')
  assert.doesNotMatch((await checkOf('empty.db')).stdout, /upgrades/)
  assert.equal(existsSync(`${folder}/missing`), false)
  const withoutGrant = await checkOf('new.db', [`--allow-fs-read=${folder}/*`])
  assert.match(withoutGrant.stderr, /new\.db is not in a folder that this process may write to/)
})

test('--check of a database that does not respond', async (t) => {
  const url = `postgresql://portal:s3cr3t-pw@127.0.0.1:${await freePort()}/ledger`
  const { status, stderr } = await check(t, { GATEWAY_CAPTIVE_DATABASE_URL: url })
  assert.equal(status, 2)
  assert.match(stderr, /GATEWAY_CAPTIVE_DATABASE_URL must name a database that can be used; .*ECONNREFUSED/)
  assert.doesNotMatch(stderr, /s3cr3t-pw/)
})

test('--check of the engine: not reachable is a warning, another secret a problem', async (t) => {
  const away = await check(t, { ENGINE_INTERNAL_URL: `http://127.0.0.1:${await freePort()}` })
  assert.equal(away.status, 0)
  assert.match(away.warnings.join('\n'), /^warning: the engine is not reachable: ECONNREFUSED/m)
  const engine = await startHostileEngine(t, respondWith(rawResponse('200 OK', [], '{"status":"ok","kid":"AAAAAAAA"}')))
  const other = await check(t, { ENGINE_INTERNAL_URL: engine.url })
  assert.equal(other.status, 2)
  assert.match(
    other.stderr,
    /GATEWAY_CAPTIVE_SHARED_SECRET must be the engine's; the engine seals with the key AAAAAAAA, /,
  )
})

test('--check of ports: another program is a problem, the running portal is not', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (const setting of ['GATEWAY_CAPTIVE_LISTEN_PORT', 'GATEWAY_CAPTIVE_OPS_PORT']) {
    const { status, stderr } = await check(t, { [setting]: `${port}` })
    assert.equal(status, 2)
    const problem = `${setting} must name an address that can be used; cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE)`
    assert.ok(stderr.includes(problem), stderr)
  }
  const ports = { GATEWAY_CAPTIVE_LISTEN_PORT: `${await freePort()}`, GATEWAY_CAPTIVE_OPS_PORT: `${await freePort()}` }
  const portal = startPortalProcess(t, { ...QUIET, ...ports })
  await portal.listening
  const whileRunning = await check(t, ports)
  assert.equal(whileRunning.status, 0, whileRunning.stderr)
  assert.ok(
    whileRunning.warnings.includes('warning: the portal is running: whether its ports are free was not checked'),
  )
})
