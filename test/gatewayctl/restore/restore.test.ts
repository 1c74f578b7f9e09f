// A machine in a folder, with archives as the backup writes them and a systemctl that reports what a test wants: what is replaced,
// stopped and started, what is put back, and what is said to be missing. `npm run check -- packages` does it with systemd.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import packageJson from '#package' with { type: 'json' }
import { isLater, parseManifest } from '../../../src/gatewayctl/restore/manifest.ts'
import { inReverse } from '../../support/cleanup.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { gatewayctl } from '../gatewayctl.ts'
import { createArchive, createKey, cutOff, manifest, skipWithoutAge } from './backup.ts'
import { ALL, createMachine, ENGINE, KEPT, ON, PORTAL } from './machine.ts'

/** Made at the first call, for all tests. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

describe('restore', { skip: skipWithoutAge }, () => {
  const cleanup = inReverse({ after })
  const key = skipWithoutAge ? { file: '', recipient: '' } : createKey(cleanup)
  const engineArchive = lazily(() => createArchive(cleanup, key, 'engine', { files: ENGINE }))
  test('replaces what the archives have, keeps what was there, and turns on what was on, in either order', async (t) => {
    const archives = [engineArchive(), createArchive(t, key, 'portal', { files: PORTAL })]
    for (const order of [archives, archives.toReversed()]) {
      const machine = createMachine(t, { active: ['gateway-portal.service'] })
      const { stdout, exitCode, message } = await machine.run(order, key.file)
      assert.match(stdout, RegExp(`^engine +\\S+, of 2026-11-27T03:30:12Z, by ${packageJson.version} on gw1$`, 'm'))
      // Nothing really started.
      assert.equal(exitCode, 1)
      assert.match(message, /^\d+ of \d+ checks failed$/)
      for (const [path, content] of Object.entries({ ...PORTAL, ...ENGINE })) {
        if (path !== 'gateway-backup') assert.equal(machine.read(path), content, path)
      }
      assert.equal(machine.read(`var/lib/portal${KEPT}/portal.db`), 'present ledger')
      assert.ok(existsSync(join(machine.root, `etc/gateway${KEPT}/portal.unit`)))
      assert.ok(!existsSync(join(machine.root, 'var/lib/portal/portal.db')))
      assert.deepEqual(machine.changes(), [
        'stop gateway-portal.service',
        'daemon-reload',
        `enable ${ON.join(' ')}`,
        'reset-failed gateway-*',
        'start gateway-engine.service gateway-portal.service',
        'start gateway-engine-backup.timer',
      ])
      assert.deepEqual(
        machine.tree().filter((path) => path.includes('.gateway-restore')),
        [],
      )
    }
  })

  test('disables the units of Debian that have the ports of those that are started', async (t) => {
    const enabled = [...ON, 'gateway-terminator.service'].join(' ')
    const files = { ...ENGINE, 'gateway-backup': manifest({ enabled }) }
    const machine = createMachine(t)
    await machine.run([createArchive(t, key, 'engine', { files })], key.file)
    assert.ok(machine.changes().includes('disable --now nginx.service'))
  })

  test('--dry-run lists all that, and changes nothing', async (t) => {
    const machine = createMachine(t, { active: ['gateway-portal.service'] })
    const before = machine.tree()
    const archive = engineArchive()
    const { exitCode, stdout } = await machine.run([archive], key.file, { dryRun: true })
    assert.equal(exitCode, 0)
    assert.match(stdout, /^replaces +\S+\/etc\/gateway$/m)
    assert.match(stdout, /^creates +\S+\/var\/lib\/gateway-engine, /m)
    assert.match(stdout, /^stops +gateway-portal\.service$/m)
    assert.match(stdout, /^starts +gateway-engine\.service, gateway-portal\.service, gateway-engine-backup\.timer$/m)
    assert.deepEqual(machine.tree(), before)
    assert.deepEqual(machine.changes(), [''])
  })

  test('an archive that cannot be restored changes nothing, and the message says why', async (t) => {
    const other = createKey(t)
    const archive = (files: Readonly<Record<string, string>>) => createArchive(t, key, 'engine', { files })
    const engine = engineArchive()
    const later = `${Number(packageJson.version.split('.')[0]) + 1}.1.0`
    const refused: readonly (readonly [
      archives: readonly string[],
      exitCode: number,
      message: RegExp,
      identity?: string,
    ])[] = [
      [[engine, cutOff(t, engine, 10)], 1, /cannot be decrypted: .*; nothing was changed$/],
      [[engine], 1, /no identity matched/, other.file],
      [[engine, engine], 2, /^both archives are of the engine/],
      [[engine, archive({ ...PORTAL, 'etc/passwd': 'x' })], 1, /etc\/passwd, which no backup has/],
      [
        [archive({ ...ENGINE, 'gateway-backup': manifest({ version: later }) })],
        1,
        RegExp(`is of a later version: ${later}; this machine has ${packageJson.version}`),
      ],
      [
        [archive({ ...ENGINE, 'gateway-backup': manifest({ enabled: 'gateway-proxy.service' }) })],
        1,
        /lacks gateway-proxy\.service: apt-get install \.\/gateway-squid_\*\.deb/,
      ],
      [[archive({ 'var/lib/portal/x': '' })], 1, /no archive has \/etc\/gateway/],
      [[join(temporaryFolder(t), 'none')], 2, /cannot be read/],
      [[engine, engine, engine], 2, /at most two archives/],
    ]
    for (const [archives, exitCode, message, identity = key.file] of refused) {
      const machine = createMachine(t, { installed: ALL.filter((unit) => !unit.includes('proxy')), active: ON })
      const before = machine.tree()
      const ended = await machine.run(archives, identity)
      assert.equal(ended.exitCode, exitCode, ended.message)
      assert.match(ended.message, message)
      assert.deepEqual(machine.tree(), before)
      assert.deepEqual(machine.changes(), [''])
    }
  })

  test('a ledger of a later version is refused, as the portal would refuse it', async (t) => {
    const path = join(temporaryFolder(t), 'portal.db')
    for (const step of ['099-contract-all', '099-expand-more']) {
      const database = new DatabaseSync(path)
      database.exec(`drop table if exists ledger_migration; create table ledger_migration (name text);
        insert into ledger_migration values ('003-expand-shown-by-attempt'), ('${step}')`)
      database.close()
      const content = readFileSync(path, 'latin1')
      const machine = createMachine(t)
      const folder = temporaryFolder(t)
      mkdirSync(join(folder, 'var/lib/portal'), { recursive: true })
      writeFileSync(join(folder, 'var/lib/portal/portal.db'), content, 'latin1')
      const tar = ['-C', folder, 'var/lib/portal/portal.db']
      const archive = createArchive(t, key, 'portal', { files: { 'etc/gateway/.env': '' }, tar })
      const { message, exitCode } = await machine.run([archive], key.file, { dryRun: true })
      if (step.includes('expand')) assert.equal(exitCode, 0, message)
      else assert.match(message, /its ledger cannot be used: the database is of a later version: 099-contract-all/)
    }
  })

  test('a step that fails puts everything back, and starts what ran', async (t) => {
    const archive = engineArchive()
    for (const fault of ['daemon-reload', 'the last folder']) {
      const machine = createMachine(t, {
        active: ['gateway-portal.service'],
        failing: fault === 'daemon-reload' ? fault : 'none',
      })
      if (fault !== 'daemon-reload') {
        for (const folder of ['', `${KEPT}/full`])
          mkdirSync(join(machine.root, `var/lib/gateway-lists${folder}`), { recursive: true })
      }
      const before = machine.tree()
      const { exitCode, message } = await machine.run([archive], key.file)
      assert.equal(exitCode, 1)
      assert.match(message, fault === 'daemon-reload' ? /daemon-reload failed: it does not work/ : /cannot be renamed/)
      assert.match(message, /\nEverything is as it was\.$/)
      assert.deepEqual(
        machine.tree().filter((path) => !path.startsWith('etc/systemd')),
        before,
      )
      assert.deepEqual(machine.changes().at(-1), 'start gateway-portal.service')
    }
  })

  test('what is missing is named, with what to do', async (t) => {
    const env = [
      'GATEWAY_CAPTIVE_HOSTNAME=portal.invalid',
      'GATEWAY_CAPTIVE_DATABASE_URL=postgresql://portal@db.example/portal',
      'PROXY_AUTH=/etc/gateway/kerberos.conf',
      'PROXY_ORIGIN_CA=/etc/ssl/school.pem',
      'PRUNE_OLDER_THAN=400d',
    ]
    const { 'etc/gateway/backup.recipients': _, ...files } = ENGINE
    const archive = createArchive(t, key, 'engine', {
      files: {
        ...files,
        'gateway-backup': manifest({ enabled: `${ON.join(' ')} gateway-own.service`, addresses: '192.0.2.9' }),
        'etc/gateway/.env': `${env.join('\n')}\n`,
        'etc/gateway/kerberos.conf':
          'auth_param negotiate program /usr/lib/squid/negotiate_kerberos_auth -k /etc/krb5.keytab\n',
        'etc/gateway/engine/policy.toml': '[state]\nurl = "postgresql://engine@db.example/engine"\n',
        'etc/gateway/lists.conf': '',
      },
    })
    const { stdout, exitCode } = await createMachine(t).run([archive], key.file)
    assert.equal(exitCode, 1)
    const text = stdout.replaceAll(/\n {4,}(?=\S)/g, ' ')
    for (const finding of [
      /^name +failing +no address is known for portal\.invalid/m,
      /^address +warning +the old machine had 192\.0\.2\.9;/m,
      /^ledger +warning +GATEWAY_CAPTIVE_DATABASE_URL puts it in PostgreSQL/m,
      /^state +warning .*pg_restore/m,
      /^file +failing +PROXY_ORIGIN_CA names \/etc\/ssl\/school\.pem, which is missing/m,
      /^keytab +failing +\/etc\/krb5\.keytab is missing/m,
      /^backup +failing +\/etc\/gateway\/backup\.recipients is missing/m,
      /^timers +failing +gateway-lists\.timer, gateway-prune\.timer: off .*systemctl enable --now/m,
      /^unit +failing +gateway-own\.service was on/m,
      /^engine +failing /m,
    ])
      assert.match(text, finding)
  })

  test('without --yes it asks; without a terminal, root or a unit it does not begin', async (t) => {
    const archive = engineArchive()
    const machine = createMachine(t)
    for (const [ended, message] of [
      [await machine.run([archive], key.file, {}), /there is no terminal for the confirmation/],
      [await machine.run([archive], key.file, { yes: true }, false), /only root can restore/],
      [await createMachine(t, { installed: [] }).run([archive], key.file), /apt-get install \.\/gateway-portal_/],
    ] as const) {
      assert.equal(ended.exitCode, 2)
      assert.match(ended.message, message)
    }
  })

  test('a gateway in containers is not touched, and the message names their way', async (t) => {
    const machine = createMachine(t)
    rmSync(join(machine.root, 'etc/gateway/portal.unit'))
    writeFileSync(join(machine.root, 'etc/gateway/compose.yaml'), '')
    const before = machine.tree()
    const { exitCode, message } = await machine.run([engineArchive()], key.file)
    assert.equal(exitCode, 2)
    assert.match(message, /runs in containers, .*docs\/run\.md, "Restore a machine"/)
    assert.deepEqual(machine.tree(), before)
  })
})

test('misuse of the command', async () => {
  for (const args of [[], ['x'], ['x', '--identity', 'y', '--yes', '--dry-run']]) {
    assert.equal((await gatewayctl(['restore', ...args], { env: { PATH: '' } })).status, 2, `${args}`)
  }
})

test('a manifest has only what it may have, and versions compare by number', () => {
  const { version, time, host, addresses, enabled } = parseManifest(
    'version 1;x\ntime now\nhost a b\naddresses 192.0.2.1 $(x) fe80::1\nenabled gateway-a.service evil.service gateway-../x.timer\nmore\n',
  )
  assert.deepEqual([version, time, host], [undefined, undefined, 'a'])
  assert.deepEqual(addresses, ['192.0.2.1', 'fe80::1'])
  assert.deepEqual(enabled, ['gateway-a.service'])
  assert.ok(isLater('2026.49.10', '2026.49.9') && isLater('2027.1.0', '2026.52.9'))
  assert.ok(!isLater('2026.49.0', '2026.49.0') && !isLater('2026.9.5', '2026.10.0'))
})
