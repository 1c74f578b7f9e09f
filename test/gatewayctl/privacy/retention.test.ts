// Retention as this machine's settings have it: the files of logrotate, rsyslog and journald that are shipped, and their absence.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { backupPlaces } from '../../../src/gatewayctl/privacy/retention/backups.ts'
import { journaldSettings } from '../../../src/gatewayctl/privacy/retention/journald.ts'
import { rotatedDays } from '../../../src/gatewayctl/privacy/retention/logrotate.ts'
import { JOURNALD_LIMIT, logPlaces } from '../../../src/gatewayctl/privacy/retention/logs.ts'
import { type Machine, thisMachine } from '../../../src/gatewayctl/privacy/retention/machine.ts'
import { enginePlaces, ledgerPlace, placesBeyondReach } from '../../../src/gatewayctl/privacy/retention/retention.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SHIPPED = 'deploy/observability'

function machine(t: TestContext, files: Readonly<Record<string, string>>, changes: Partial<Machine> = {}): Machine {
  const root = temporaryFolder(t)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (content.startsWith('deploy/')) cpSync(content, join(root, path))
    else writeFileSync(join(root, path), content)
  }
  const real = thisMachine({ env: {} }, root)
  return {
    ...real,
    variables: {},
    runBy: 'systemd',
    isEnabled: async () => false,
    hasFailed: async () => false,
    ...changes,
  }
}

test('the command for a limit of the journal works where Debian has no folder for it', (t) => {
  const root = temporaryFolder(t)
  const [command = ''] = JOURNALD_LIMIT.replaceAll('/etc/', `${root}/etc/`).split('; systemctl')
  execFileSync('sh', ['-c', command])
  assert.equal(journaldSettings(thisMachine({ env: {} }, root)).maxRetention, '90day')
})

test('the shipped files of logrotate: 90 and 30 days, and the current one', (t) => {
  const here = machine(t, {
    '/etc/logrotate.conf': 'weekly\nrotate 4\ncreate\ninclude /etc/logrotate.d\n',
    '/etc/logrotate.d/gateway': `${SHIPPED}/logrotate`,
    '/etc/logrotate.d/gateway-proxy': `${SHIPPED}/logrotate-proxy`,
    '/etc/logrotate.d/rsyslog': '/var/log/syslog\n/var/log/mail.log\n{\n\tnotifempty\n}\n',
    '/etc/logrotate.d/other': '# rotate 99\n/var/log/other/*.log {\n  monthly\n  rotate 6\n  maxage 40\n}\n',
  })
  assert.equal(rotatedDays(here, '/var/log/gateway/engine.log'), 91)
  assert.equal(rotatedDays(here, '/var/log/gateway-proxy/access.log'), 31)
  assert.equal(rotatedDays(here, '/var/log/syslog'), 35, 'by the general settings')
  assert.equal(rotatedDays(here, '/var/log/other/a.log'), 71)
  assert.equal(rotatedDays(here, '/var/log/elsewhere.log'), undefined)
})

test('journald: drop-ins in the order of their names, a later folder first; without a limit in time', (t) => {
  const here = machine(t, {
    '/etc/systemd/journald.conf': '[Journal]\n#MaxRetentionSec=1day\nStorage=persistent\n',
    '/usr/lib/systemd/journald.conf.d/gateway.conf': '[Journal]\nMaxRetentionSec=5day\n',
    '/etc/systemd/journald.conf.d/gateway.conf': '[Journal]\nMaxRetentionSec=90day\nSystemMaxUse=20G\n',
    '/run/systemd/journald.conf.d/00-first.conf': '[Journal]\nMaxRetentionSec=2day\n',
  })
  assert.deepEqual(journaldSettings(here), { maxRetention: '90day', maxUse: '20G', isVolatile: false })
  assert.deepEqual(journaldSettings(machine(t, {})), { maxRetention: undefined, maxUse: undefined, isVolatile: true })
  const unlimited = machine(t, { '/etc/systemd/journald.conf': 'MaxRetentionSec=0\nStorage=persistent' })
  const [place] = logPlaces(unlimited)
  assert.equal(place?.kept, null)
  assert.match(`${place?.set}`, /MaxRetentionSec=90day.*journald\.conf\.d/)
})

test('logs: files of rsyslog, a SIEM, the proxy and the terminator', (t) => {
  const rsyslog = `action(type="omfwd" target="siem.example" port="6514")\n#action(type="omfwd" target="not.example")\n`
  const here = machine(
    t,
    {
      '/etc/rsyslog.d/gateway.conf': `action(type="omfile" file="/var/log/gateway/engine.log")\n${rsyslog}`,
      '/etc/logrotate.d/gateway': `${SHIPPED}/logrotate`,
    },
    {
      variables: {
        ...{ PROXY_CLIENTS: '192.168.0.0/16', PROXY_ACCESS_LOG: '/var/log/gateway-proxy/access.log' },
        ...{ PROXY_INCLUDE: '/etc/more.conf', TERMINATOR_ACCESS_LOG: 'syslog:server=192.0.2.9' },
      },
    },
  )
  const places = logPlaces(here).map(({ where, kept }) => [where, kept])
  assert.deepEqual(places, [
    ["systemd's journal, in memory", 'until the machine restarts'],
    ['/var/log/gateway/engine.log', 'for 91 days'],
    ['siem.example, to which rsyslog forwards it', null],
    ['/var/log/gateway-proxy/access.log', null],
    ['/etc/more.conf', null],
    ['syslog:server=192.0.2.9', null],
  ])
  const quiet = machine(t, {}, { variables: { PROXY_CLIENTS: '192.168.0.0/16' }, runBy: undefined })
  assert.deepEqual(logPlaces(quiet), [])
  const plain = machine(t, { '/etc/rsyslog.conf': '' })
  assert.deepEqual(logPlaces(plain)[1]?.where, '/var/log/syslog')
})

test('logs of proxy and terminator that their own files set', (t) => {
  const home = temporaryFolder(t)
  writeFileSync(join(home, '.env'), 'PROXY_CLIENTS=192.168.0.0/16\nPROXY_ACCESS_LOG=off\n')
  writeFileSync(join(home, 'proxy.env'), 'PROXY_ACCESS_LOG=/var/log/gateway-proxy/access.log\n')
  writeFileSync(join(home, 'terminator.env'), 'TERMINATOR_ACCESS_LOG=/var/log/terminator.log\n')
  const whereOf = (env: Readonly<Record<string, string>>) => {
    const { variables } = thisMachine({ env: { GATEWAY_HOME: home, ...env } }, home)
    return logPlaces(machine(t, {}, { variables, runBy: undefined })).map(({ where }) => where)
  }
  assert.deepEqual(whereOf({}), ['/var/log/gateway-proxy/access.log', '/var/log/terminator.log'])
  assert.deepEqual(whereOf({ PROXY_ACCESS_LOG: '/log' }), ['/log', '/var/log/terminator.log'], 'the environment counts')
})

test('acceptances and backups: with their timers, and without', async (t) => {
  const archives = {
    '/var/backups/gateway/gateway-portal-20261113T033012Z.tar.gz.age': '',
    '/var/backups/gateway/gateway-portal-20261114T033012Z.tar.gz.age': '',
    '/var/backups/gateway/notes': '',
  }
  const on = machine(t, archives, { variables: { PRUNE_OLDER_THAN: '400d' }, isEnabled: async () => true })
  assert.equal((await ledgerPlace(on, 'x')).kept, 'for 400d')
  assert.deepEqual(
    (await backupPlaces(on)).map(({ where, kept }) => [where.split(';')[0], kept]),
    [
      ['/var/backups/gateway: 2 archives, the oldest of 2026-11-13', 'for 14 nights'],
      ['/var/backups/gateway: 0 archives', 'for 14 nights'],
    ],
  )
  const off = machine(t, archives, { variables: { PRUNE_OLDER_THAN: '400d' } })
  assert.deepEqual(
    (await backupPlaces(off)).map(({ kept }) => kept),
    [null],
  )
  assert.match(
    (await ledgerPlace(off, 'x')).set,
    /is 400d, but its timer is off: systemctl enable --now gateway-prune\.timer/,
  )
  assert.match((await ledgerPlace(machine(t, {}), 'x')).set, /^PRUNE_OLDER_THAN=400d in \.env/)
  const withoutSystemd = machine(t, {}, { isEnabled: async () => undefined })
  assert.match((await ledgerPlace(withoutSystemd, 'x')).set, /nightly gatewayctl portal acceptances prune/)
})

test('acceptances and backups: a limit that the deletion refuses, and a last run that has failed', async (t) => {
  const isEnabled = async () => true
  for (const refused of ['1y', '400', '23h', '0d', '2025-01-01', 'never']) {
    const { kept, set } = await ledgerPlace(
      machine(t, {}, { variables: { PRUNE_OLDER_THAN: refused }, isEnabled }),
      'x',
    )
    assert.equal(kept, null, refused)
    assert.match(set, new RegExp(`^PRUNE_OLDER_THAN in \\.env: it is ${refused}, and must be an age`))
  }
  for (const age of ['24h', '1d', '52w', '576000m']) {
    const here = machine(t, {}, { variables: { PRUNE_OLDER_THAN: age }, isEnabled })
    assert.equal((await ledgerPlace(here, 'x')).kept, `for ${age}`)
  }
  const variables = { PRUNE_OLDER_THAN: '400d' }
  const failed = machine(t, {}, { variables, isEnabled, hasFailed: async () => true })
  for (const [{ kept, set }, unit] of [
    [await ledgerPlace(failed, 'x'), 'gateway-prune'],
    ...(await backupPlaces(failed)).map(
      (place, at) => [place, `gateway-${at === 0 ? 'portal' : 'engine'}-backup`] as const,
    ),
  ] as const) {
    assert.equal(kept, null, unit)
    assert.match(set, new RegExp(`^journalctl -u ${unit} -n 30; systemctl start ${unit} \\(.* has failed`))
  }
})

test('what a restore has replaced stays until it is deleted', async (t) => {
  const [first, second] = ['.before-restore-20261128T101500Z', '.before-restore-20261129T080000Z']
  const files = [
    ...[
      `/etc/gateway${first}/.env`,
      `/var/lib/gateway-engine${first}/engine/state.db`,
      `/var/lib/portal${first}/portal.db`,
    ],
    `/var/lib/portal${second}/portal.db`,
  ]
  const others = [
    '/var/lib/portal/portal.db',
    `/var/lib/gateway-lists${first}/a.txt`,
    `/var/lib/other${first}/x`,
    '/etc/gateway/.env',
  ]
  const here = machine(t, Object.fromEntries([...files, ...others].map((path) => [path, ''])))
  const folders = files.map((path) => path.split(/(?<=Z)\//)[0])
  const places = (await placesBeyondReach(here)).filter(({ what }) => what.startsWith('what a restore has replaced'))
  assert.deepEqual(
    places.map(({ where, kept, set }) => [where, kept, set]),
    [[folders.join(', '), null, `rm -r ${folders.join(' ')}`]],
  )
  const never = await placesBeyondReach(machine(t, { '/var/lib/portal/portal.db': '' }))
  assert.deepEqual(
    never.filter(({ what }) => what.includes('restore')),
    [],
  )
})

test('the engine: with pseudonyms, without, and off', () => {
  const state = { postgresql: true, session_minutes: 480 }
  const log = { allowed: false, hosts: false }
  const kept = (journal: Parameters<typeof enginePlaces>[1]['journal']) =>
    enginePlaces('https://engine', { journal, state, memory: 10_000, log }).map((one) => one.kept)
  const journal = { days: 14, person_days: 3, hosts: true, postgresql: false }
  assert.equal(kept(journal)[0], 'for 14 days, with address and user for 3 days, then with pseudonyms')
  assert.equal(kept({ ...journal, person_days: 14, hosts: false })[0], 'for 14 days, without sites')
  assert.equal(kept(null)[0], 'not at all: the journal is off')
  assert.match(`${kept(journal)[1]}`, /at most 480 minutes/)
})
