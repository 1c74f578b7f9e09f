// What no archive has, and what one has too much: databases elsewhere, rules of the network, persons who were deleted later.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { inReverse } from '../../support/cleanup.ts'
import { createArchive, createKey, manifest, skipWithoutAge } from './backup.ts'
import { createMachine, ENGINE, PORTAL } from './machine.ts'

type Files = Readonly<Record<string, string>>

describe('after a restore', { skip: skipWithoutAge }, () => {
  const key = skipWithoutAge ? { file: '', recipient: '' } : createKey(inReverse({ after }))

  /** @param before files of the machine. @returns each finding on one line */
  async function findings(t: TestContext, archives: readonly Files[], before: Files = {}, names = ['one', 'other']) {
    const machine = createMachine(t)
    for (const [path, content] of Object.entries(before)) {
      mkdirSync(dirname(join(machine.root, path)), { recursive: true })
      writeFileSync(join(machine.root, path), content)
    }
    const files = archives.map((one, at) => createArchive(t, key, `${names[at]}`, { files: one }))
    const { stdout } = await machine.run(files, key.file)
    return stdout.replaceAll(/\n {4,}(?=\S)/g, ' ').split('\n')
  }
  const about = (lines: readonly string[], check: string) => lines.filter((line) => RegExp(`^${check} +`).test(line))

  const withSettings = (policy: string, variables = ''): Files => ({
    ...ENGINE,
    'etc/gateway/engine/policy.toml': policy,
    'etc/gateway/.env': `${ENGINE['etc/gateway/.env']}${variables}`,
  })

  test('databases that no backup copies are named, with what to do', async (t) => {
    const policy = '[state]\nurl = "sqlite:////srv/engine/state.db"\n'
    const url = 'GATEWAY_CAPTIVE_DATABASE_URL=sqlite:////srv/portal.db\n'
    const found = await findings(t, [withSettings(policy, url), PORTAL])
    const [state, journal, ledger] = ['state', 'journal', 'ledger'].map((check) => `${about(found, check)}`)
    assert.match(
      `${state}`,
      /failing +\[state\] url in the policy puts it in \/srv\/engine\/state\.db, where no backup has it: it is a new, empty one/,
    )
    assert.match(
      `${state}`,
      /to do: systemctl stop gateway-engine; copy it and \/srv\/engine\/state\.db-wal from the old machine/,
    )
    assert.match(
      `${journal}`,
      /failing +\[state\] url in the policy puts it in \/srv\/engine\/journal\.db, where no backup has it/,
    )
    assert.match(
      `${ledger}`,
      /failing +GATEWAY_CAPTIVE_DATABASE_URL puts it in \/srv\/portal\.db, where no backup has it/,
    )
    assert.match(
      `${ledger}`,
      /copy --database-url sqlite:\/{4}var\/lib\/portal\/portal\.db --to-database-url sqlite:\/{4}srv\/portal\.db/,
    )
  })

  test('also those next to the usual ones, which the backup leaves out, and those named by a file', async (t) => {
    const policy = '[journal]\nurl = "sqlite:////var/lib/gateway-engine/engine/more.db"\n'
    const secret = { 'etc/gateway/secrets/url': 'sqlite:////var/lib/portal/ledger.db\n' }
    const url = 'GATEWAY_CAPTIVE_DATABASE_URL_FILE=/etc/gateway/secrets/url\n'
    // That of this machine is replaced with its folder.
    const before = { 'var/lib/portal/ledger.db': '' }
    const found = await findings(t, [{ ...withSettings(policy, url), ...secret }, PORTAL], before)
    assert.deepEqual(about(found, 'state'), [])
    assert.match(
      `${about(found, 'journal')}`,
      /failing +\[journal\] url in the policy puts it in .*\/more\.db, where no backup/,
    )
    assert.match(`${about(found, 'ledger')}`, /failing .*\/var\/lib\/portal\/ledger\.db, where no backup/)
  })

  test('what this machine had, or what was copied in use, is a warning', async (t) => {
    const policy =
      '[state]\nurl = "sqlite:////srv/state.db"\n[journal]\nurl = "sqlite:////var/lib/gateway-engine/j.db"\n'
    const archive = { ...withSettings(policy), 'var/lib/gateway-engine/j.db': '' }
    const found = await findings(t, [archive], { 'srv/state.db': '' })
    assert.match(
      `${about(found, 'state')}`,
      /warning .*\/srv\/state\.db, where no backup has it: it is as it was on this machine/,
    )
    assert.match(
      `${about(found, 'journal')}`,
      /warning .*\/j\.db, which is backed up while it changes: it may be damaged/,
    )
  })

  test('control: the usual places, named or not, memory, and a policy that is no TOML', async (t) => {
    const usual = '[state]\nurl = "sqlite:////var/lib/gateway-engine/engine/state.db"\n'
    const url = 'GATEWAY_CAPTIVE_DATABASE_URL=sqlite:////var/lib/portal/portal.db\n'
    for (const archive of [withSettings(usual, url), withSettings('[state]\nurl = "sqlite://"\n'), withSettings('x')]) {
      const found = await findings(t, [archive, PORTAL])
      assert.deepEqual(
        ['state', 'journal', 'ledger'].flatMap((check) => about(found, check)),
        [],
      )
    }
  })

  test('those in PostgreSQL are as they were, also where a file has the URL', async (t) => {
    const policy = '[state]\nurl = "postgresql://engine@db.example/engine"\n'
    const secret = { 'etc/gateway/secrets/url': 'postgresql://portal@db.example/portal\n' }
    const url = 'GATEWAY_CAPTIVE_DATABASE_URL_FILE=/etc/gateway/secrets/url\n'
    const found = await findings(t, [{ ...withSettings(policy, url), ...secret }])
    assert.deepEqual(about(found, 'journal'), [])
    assert.deepEqual(about(found, 'archive'), [])
    assert.match(`${about(found, 'state')}`, /warning +\[state\] url in the policy puts it in PostgreSQL, .*pg_restore/)
    assert.match(`${about(found, 'ledger')}`, /warning +GATEWAY_CAPTIVE_DATABASE_URL puts it in PostgreSQL/)

    const apart = await findings(t, [withSettings('[journal]\nurl = "postgresql://engine@db.example/journal"\n')])
    assert.deepEqual(about(apart, 'state'), [])
    assert.match(`${about(apart, 'journal')}`, /warning +\[journal\] url in the policy puts it in PostgreSQL/)
  })

  test('deletions are to be repeated, since the older archive', async (t) => {
    const [deletions] = about(await findings(t, [ENGINE, PORTAL]), 'deletions')
    assert.match(
      `${deletions}`,
      /warning +who was deleted after 2026-11-27T03:29:00Z is back to do: .*gatewayctl privacy delete/,
    )
    const { 'gateway-backup': _, ...earlier } = PORTAL
    const named = await findings(t, [ENGINE, earlier], {}, ['engine', 'portal-20261125T033012Z'])
    assert.match(`${about(named, 'deletions')}`, /after 2026-11-25T03:30:12Z is back/)
    const unnamed = await findings(t, [ENGINE, earlier])
    assert.match(`${about(unnamed, 'deletions')}`, /after the archive was made is back/)
  })

  test('the rules of transparent interception are in no archive', async (t) => {
    const archive = withSettings('default = "allow"\n', 'PROXY_TRANSPARENT_HTTPS=3130\n')
    assert.match(
      `${about(await findings(t, [archive]), 'interception')}`,
      /warning +\/etc\/nftables\.conf .*docs\/proxy-clients\.md/,
    )
    const rules = { 'etc/nftables.conf': 'table inet gateway_proxy {\n}\n' }
    for (const found of [await findings(t, [archive], rules), await findings(t, [ENGINE])]) {
      assert.deepEqual(about(found, 'interception'), [])
    }
  })

  test('settings of the proxy count where the guides put them: in proxy.env, which replaces those of .env', async (t) => {
    const service = (own: string): Files => ({
      ...withSettings('default = "allow"\n', 'PROXY_AUTH=/etc/gateway/other.conf\nPROXY_TRANSPARENT_HTTP=3129\n'),
      'etc/gateway/proxy.env': own,
      'etc/gateway/auth.conf':
        'auth_param negotiate program /usr/lib/squid/negotiate_kerberos_auth -k /etc/krb5.keytab -s HTTP/proxy\n',
    })
    const found = await findings(t, [
      service('PROXY_AUTH=/etc/gateway/auth.conf\nPROXY_TRANSPARENT_HTTPS=3130\nPROXY_ACCESS_LOG=/var/log/proxy.log\n'),
    ])
    assert.match(`${about(found, 'keytab')}`, /failing +\/etc\/krb5\.keytab is missing/)
    assert.match(`${about(found, 'kerberos')}`, /warning +\/etc\/krb5\.conf is missing, which no archive has/)
    assert.match(`${about(found, 'interception')}`, /warning +\/etc\/nftables\.conf/)
    assert.deepEqual(about(found, 'file'), [])
    const files = { 'etc/krb5.keytab': '', 'etc/krb5.conf': '' }
    const off = await findings(t, [service('PROXY_AUTH=/etc/gateway/auth.conf\nPROXY_TRANSPARENT_HTTP=\n')], files)
    for (const check of ['keytab', 'kerberos', 'interception']) assert.deepEqual(about(off, check), [])
  })

  test('an archive of an unknown machine is one of an unknown time', async (t) => {
    const found = await findings(t, [{ ...ENGINE, 'gateway-backup': manifest({ time: 'yesterday' }) }])
    assert.match(found[0] ?? '', /, of an unknown time, by /)
  })
})
