// Runs the commands of README.md and the guides in a temporary folder, in the order of the pages.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { blocksRunBy, ROOT } from '../../test/deploy/command-blocks.ts'
import { run, runUntil, sandbox } from '../../test/deploy/commands.ts'
import { databaseUrl } from '../../test/gatewayctl/gatewayctl.ts'
import { databases, query } from '../../test/support/databases.ts'
import { fill } from '../../test/support/ledgers.ts'
import { skipWithoutLinux, skipWithoutOpenssl } from '../../test/support/requirement.ts'

const RECORDS = 1_204

const SECRETS = ['engine-api-token', 'icap-token', 'secret-key', 'shared-secret']
const WITH_DATABASE = ['database-password', ...SECRETS]

const OWNERS: Readonly<Record<string, string>> = { 'icap-token': '10003:10002', 'database-password': '10001:999' }
const inContainers = (name: string): string => `440 ${OWNERS[name] ?? '10001:10002'}`

/**
 * Asserts that only root on the host can read a secret. Owners are checked only as root.
 * @param ofFile mode and owner of each secret
 */
function assertClosed(home: string, secrets: readonly string[], ofFile: (name: string) => string): void {
  const isRoot = process.getuid?.() === 0
  const shown = (name: string) => {
    const { mode, uid, gid } = statSync(join(home, name))
    return `${(mode & 0o777).toString(8)} ${uid}:${gid}`
  }
  const names = isRoot ? ['.env', 'secrets', ...secrets.map((name) => `secrets/${name}`)] : []
  assert.deepEqual(readdirSync(join(home, 'secrets')).toSorted(), secrets)
  assert.equal(statSync(join(home, 'secrets')).mode & 0o777, 0o700)
  assert.equal(statSync(join(home, '.env')).mode & 0o777, 0o600)
  assert.deepEqual(names.map(shown), isRoot ? ['600 0:0', '700 0:0', ...secrets.map(ofFile)] : [])
}

const readme = blocksRunBy(import.meta.filename, 'README.md')
const guides = ['docs/install.md', 'docs/run.md'].flatMap((page) => blocksRunBy(import.meta.filename, page))

test('an example that writes a secret to a file keeps it from others', () => {
  const documents = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => join('docs', name))]
  const programs = ['gatewayctl/secret', 'engine/settings'].flatMap((room) =>
    readdirSync(join(ROOT, 'src', room)).map((name) => join('src', room, name)),
  )
  const writing = [...documents, ...programs]
    .filter((name) => /\.(md|ts)$/.test(name))
    .flatMap((name) => readFileSync(join(ROOT, name), 'utf8').split('\n'))
    .filter((line) => /(secret new|--show-new|urandom|openssl rand) .*> /.test(line))
  assert.ok(writing.length >= 10)
  for (const line of writing) assert.match(line, /\(umask 077; /)
})

test('README.md', {
  skip: skipWithoutOpenssl || skipWithoutLinux,
  timeout: 180_000,
}, async (t) => {
  const { here, env, folder } = sandbox(t)
  // With the operator's Node: this test runs with the repository's own.
  const path = env.PATH.split(':').filter((one) => one !== dirname(process.execPath))
  const options = { cwd: here, env: { ...env, PATH: path.join(':') } }
  const ways: readonly [RegExp, (text: string) => Promise<unknown> | unknown][] = [
    [
      /npm run preview\n$/,
      (text) =>
        runUntil(text, { cwd: ROOT, env: { ...process.env, ...env }, seconds: 60 }, (said) =>
          /http:\/\/(localhost|127\.0\.0\.1):\d+/.test(said),
        ),
    ],
    // A separate test starts the containers.
    [
      /^docker compose up --detach\n/m,
      (text) => {
        run(text.replaceAll(/^docker .*$/gm, ''), options)
        assertClosed(join(folder, 'gateway-trial'), WITH_DATABASE, (name) =>
          name === 'database-password' ? '440 10001:10002' : inContainers(name),
        )
      },
    ],
  ]
  assert.equal(readme.length, ways.length)
  for (const { text } of readme) {
    const [, way] = ways.find(([pattern]) => pattern.test(text)) ?? assert.fail(`the test does not run this:\n${text}`)
    await way(text)
  }
})

test('git ignores the secrets, settings and data of a trial in the clone', async () => {
  const names = ['trial/shared-secret', 'trial/portal.db', 'deploy/secrets/secret-key', 'deploy/.env', '.env']
  const { stdout } = spawnSync('git', ['check-ignore', ...names, 'deploy/.env.example'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  assert.deepEqual(stdout.trim().split('\n'), names)
})

const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? assert.fail()

test('docs/install.md and run.md', { skip: skipWithoutLinux || postgres.skip }, async (t) => {
  const { here, env, folder, inside } = sandbox(t)
  const ledger = { dialect: 'sqlite', path: join(folder, 'var/lib/portal/portal.db') } as const
  await (await openLedger(ledger, { clock: Date.now, migrate: true })).close()
  await fill(ledger, RECORDS)
  const to = await postgres.create(t)
  writeFileSync(join(here, 'new-url'), databaseUrl(to))

  // Of a trial in this clone.
  mkdirSync(join(here, 'deploy', 'secrets'))
  writeFileSync(join(here, 'deploy', 'secrets', 'shared-secret'), 'tried')
  writeFileSync(join(here, 'deploy', '.env'), 'tried')
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [dirname(ledger.path), ledger.path]) chownSync(path, 10_001, 10_001)

  const home = join(folder, 'etc', 'gateway')
  const persistent = /^GATEWAY_CAPTIVE_DATABASE_URL=sqlite:\/\/\/\/var\/lib\/portal\/portal\.db$/m

  assert.ok(guides.length >= 6)
  for (const { text } of guides) {
    // The installations with and without containers both start from an empty machine.
    if (text.startsWith('mkdir -p /etc/gateway/aup\n')) {
      assertClosed(home, WITH_DATABASE, inContainers)
      // What an operator has tried in the clone is not a part of it.
      assert.deepEqual(readdirSync(home).toSorted(), [
        ...['.env', 'aup', 'compose.yaml', 'engine', 'observability', 'proxy', 'secrets'],
      ])
      assert.match(readFileSync(join(home, '.env'), 'utf8'), persistent)
      rmSync(home, { recursive: true })
    }
    const variables = { ...env, GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl(ledger) }
    const { stdout } = run(inside(text), { cwd: here, env: variables })
    if (text.includes('mv /var/lib/portal/portal.db*')) {
      // The portal's user can write what root has restored.
      const { uid, gid } = statSync(ledger.path)
      assert.deepEqual([uid, gid], isRoot ? [10_001, 10_001] : [process.getuid?.(), process.getgid?.()])
    }
    if (text.includes('acceptances copy')) {
      assert.match(stdout, /^copied {7}1,204 acceptances, 0 completed\ncompared {5}1,204 acceptances, 1,204 attempts/)
      assert.equal(new Set(stdout.match(/[0-9a-f]{64}/g)).size, 1)
    }
  }
  assert.equal(readFileSync(join(home, 'portal.unit'), 'utf8'), 'gateway-portal.service\n')
  assertClosed(home, SECRETS, () => '600 0:0')
  assert.match(readFileSync(join(home, '.env'), 'utf8'), persistent)
  assert.match(readFileSync(join(home, '.env'), 'utf8'), /^GATEWAY_CAPTIVE_HOSTNAME=localhost$/m)
  const [row] = await query(to, 'select count(*) as count from acceptance')
  assert.equal(Number(row?.count), RECORDS)
})
