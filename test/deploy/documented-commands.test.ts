// The commands of README.md and the guides are run, in the order of the pages, in a temporary folder. One that is not run says
// why in a comment before it: <!-- not run: … -->.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newSecret } from '../../src/gatewayctl/secret/generate.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { databaseUrl } from '../gatewayctl/gatewayctl.ts'
import { databases, query } from '../support/databases.ts'
import { fill } from '../support/ledgers.ts'
import { skipWithoutLinux, skipWithoutOpenssl } from '../support/requirement.ts'
import { commandBlocks, runUntil, sandbox } from './commands.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const RECORDS = 1_204

const SECRETS = ['engine-api-token', 'secret-key', 'shared-secret']

/**
 * Nobody on the host but root reads a secret; owners are looked at where this is root.
 * @param files mode and owner of each secret: by default those that the containers read
 */
function assertClosed(home: string, files = '440 10001:10002'): void {
  const isRoot = process.getuid?.() === 0
  const shown = (name: string) => {
    const { mode, uid, gid } = statSync(join(home, name))
    return `${(mode & 0o777).toString(8)} ${uid}:${gid}`
  }
  const names = isRoot ? ['.env', 'secrets', ...SECRETS.map((name) => `secrets/${name}`)] : []
  assert.deepEqual(readdirSync(join(home, 'secrets')).toSorted(), SECRETS)
  assert.equal(statSync(join(home, 'secrets')).mode & 0o777, 0o700)
  assert.equal(statSync(join(home, '.env')).mode & 0o777, 0o600)
  assert.deepEqual(names.map(shown), isRoot ? ['600 0:0', '700 0:0', ...SECRETS.map(() => files)] : [])
}

const readme = commandBlocks('README.md', '|sh|console')
const guides = ['docs/install.md', 'docs/run.md', 'docs/terminator.md'].flatMap((page) =>
  commandBlocks(page, 'sh|console'),
)

test('what is not run says why', () => {
  assert.ok(readme.length >= 5 && guides.length >= 15)
  for (const { reason } of [...readme, ...guides]) assert.ok(reason === undefined || reason.length > 10)
})

test('README.md', {
  skip: skipWithoutOpenssl || (process.platform !== 'linux' && 'its commands are tried on Linux'),
}, async (t) => {
  const { here, env, folder, inside } = sandbox(t)
  mkdirSync(join(folder, 'etc', 'gateway'))
  for (const name of ['shared-secret', 'session-key', 'engine-api-token'])
    writeFileSync(join(folder, 'etc', 'gateway', name), newSecret())
  const ways: readonly [RegExp, (text: string) => Promise<unknown> | unknown][] = [
    [/^npm start\n$/, () => assert.ok(existsSync(join(ROOT, 'test/demo/demo.test.ts')))],
    // It is what runs this.
    [/^npm test\n$/, () => {}],
    [
      /npm run preview\n$/,
      (text) =>
        runUntil(text, { cwd: ROOT, env: { ...process.env, ...env }, seconds: 60 }, (said) =>
          /http:\/\/(localhost|127\.0\.0\.1):\d+/.test(said),
        ),
    ],
    [
      /^node src\/portal\/main\.ts\n$/m,
      (text) => {
        const free = {
          GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
          GATEWAY_CAPTIVE_LISTEN_PORT: '0',
          GATEWAY_CAPTIVE_OPS_PORT: '0',
        }
        return runUntil(inside(text), { cwd: ROOT, env: { ...env, ...free }, seconds: 60 }, (said) =>
          /listening on/.test(said),
        )
      },
    ],
    // The containers themselves: in a test of its own, below.
    [
      /^docker compose up --build\n$/m,
      (text) => {
        const { status, stderr } = spawnSync('/bin/sh', ['-ec', text.replace(/^docker compose up .*$/m, '')], {
          cwd: here,
          env,
          encoding: 'utf8',
        })
        assert.equal(status, 0, stderr)
        assertClosed(join(here, 'deploy'))
      },
    ],
  ]
  for (const { text, reason } of readme) {
    if (reason !== undefined) continue
    const [, way] = ways.find(([pattern]) => pattern.test(text)) ?? assert.fail(`nothing runs this:\n${text}`)
    await way(text)
  }
  assert.ok(existsSync(join(here, 'deploy', 'compose.yaml')))
})

test('docs/install.md, run.md and terminator.md', {
  skip: skipWithoutLinux,
}, async (t) => {
  const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? assert.fail()
  if (postgres.skip) return t.skip(postgres.skip)
  const { here, env, folder, inside } = sandbox(t)
  const ledger = { dialect: 'sqlite', path: join(folder, 'var/lib/portal/portal.db') } as const
  await (await openLedger(ledger, { clock: Date.now, migrate: true })).close()
  await fill(ledger, RECORDS)
  const to = await postgres.create(t)
  writeFileSync(join(here, 'new-url'), databaseUrl(to))

  const home = join(folder, 'etc', 'gateway')
  const persistent = /^GATEWAY_CAPTIVE_DATABASE_URL=sqlite:\/\/\/\/var\/lib\/portal\/portal\.db$/m

  const blocks = guides.filter(({ reason }) => reason === undefined)
  for (const { text } of blocks) {
    // Containers and host are two ways to install: the second one starts from nothing, too.
    if (text.startsWith('mkdir -p /etc/gateway')) {
      assertClosed(home)
      assert.match(readFileSync(join(home, '.env'), 'utf8'), persistent)
      rmSync(home, { recursive: true })
    }
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-ec', inside(text)], {
      cwd: here,
      env: { ...env, GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl(ledger) },
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${text}\n${stdout}${stderr}`)
    if (text.includes('acceptances copy')) {
      assert.match(stdout, /^copied {7}1,204 acceptances, 0 completed\ncompared {5}1,204 acceptances, 1,204 attempts/)
      assert.equal(new Set(stdout.match(/[0-9a-f]{64}/g)).size, 1)
    }
  }
  assert.equal(readFileSync(join(home, 'portal.unit'), 'utf8'), 'gateway-portal.service\n')
  assertClosed(home, '600 0:0')
  assert.match(readFileSync(join(home, '.env'), 'utf8'), persistent)
  assert.match(readFileSync(join(home, '.env'), 'utf8'), /^GATEWAY_CAPTIVE_HOSTNAME=localhost$/m)
  const [row] = await query(to, 'select count(*) as count from acceptance')
  assert.equal(Number(row?.count), RECORDS)
})
