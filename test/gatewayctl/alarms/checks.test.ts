// What is found on this machine: units of systemd (a program in its place prints what it would), jobs, disks, and what the
// engine reports.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { EngineStatus } from '../../../src/contract/administration.ts'
import { checkEverything } from '../../../src/gatewayctl/alarms/check-everything.ts'
import { checkClock } from '../../../src/gatewayctl/alarms/checks/clock.ts'
import { checkDisks, fullDisks } from '../../../src/gatewayctl/alarms/checks/disks.ts'
import { reportedCauses } from '../../../src/gatewayctl/alarms/checks/engine.ts'
import { checkJobs } from '../../../src/gatewayctl/alarms/checks/jobs.ts'
import { checkProxy } from '../../../src/gatewayctl/alarms/checks/proxy.ts'
import { checkServices } from '../../../src/gatewayctl/alarms/checks/services.ts'
import type { Surroundings } from '../../../src/gatewayctl/alarms/checks/surroundings.ts'
import { readUnits, type UnitsFound } from '../../../src/gatewayctl/alarms/checks/units.ts'
import { EMPTY } from '../../../src/gatewayctl/alarms/state.ts'
import { listen } from '../../support/listen.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NOW = Date.UTC(2026, 10, 27, 6)
const DAY_MS = 86_400_000

/** A folder with programs, for PATH. */
function programs(t: TestContext, scripts: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t)
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

function surroundings(units: UnitsFound, more: Partial<Surroundings> = {}): Surroundings {
  return {
    context: { env: {}, clock: () => NOW } as Surroundings['context'],
    settings: { disk_percent: 90, folders: [] },
    ...{ policy: '/etc/x', stateFile: '/var/x', units, connectHttps: undefined, proxy: undefined, now: NOW },
    remedyFor: (service) => `journalctl -u gateway-${service}`,
    journal: { before: EMPTY.journal, after: EMPTY.journal },
    jobs: { before: {}, after: {} },
    ...more,
  }
}

type Properties = Readonly<Record<string, string>>

/** As `systemctl show` prints them. */
async function unitsOf(t: TestContext, units: Readonly<Record<string, Properties>>): Promise<UnitsFound> {
  const healthy = {
    LoadState: 'loaded',
    ActiveState: 'active',
    SubState: 'running',
    UnitFileState: 'enabled',
    Result: 'success',
  }
  const blocks = Object.entries(units).map(([Id, properties]) =>
    Object.entries({ Id, ...healthy, ...properties })
      .map((pair) => pair.join('='))
      .join('\n'),
  )
  const PATH = programs(t, { systemctl: `cat <<'END'\n${blocks.join('\n\n')}\nEND` })
  return await readUnits(Object.keys(units), { PATH: `${PATH}:/usr/bin:/bin` }, '/')
}

const ids = ({ causes }: { causes: readonly { readonly id: string }[] }) => causes.map(({ id }) => id)

describe('services', () => {
  for (const [name, properties, expected] of [
    ['one that runs', {}, undefined],
    ['one that starts', { ActiveState: 'activating', SubState: 'start-pre' }, undefined],
    [
      'one that has failed',
      { ActiveState: 'failed', SubState: 'failed', Result: 'exit-code' },
      /has failed \(exit-code\)$/,
    ],
    ['one that was stopped, but is enabled', { ActiveState: 'inactive', SubState: 'dead' }, /is inactive$/],
    ['one that ends again and again', { ActiveState: 'activating', SubState: 'auto-restart' }, /again and again$/],
    ['one that is disabled', { ActiveState: 'inactive', UnitFileState: 'disabled' }, undefined],
    ['one that is not installed', { LoadState: 'not-found', ActiveState: 'inactive', UnitFileState: '' }, undefined],
  ] as const) {
    test(name, async (t) => {
      const units = await unitsOf(t, { 'gateway-engine.service': properties, 'gateway-portal.service': {} })
      const { causes } = await checkServices(surroundings(units))
      assert.deepEqual(ids({ causes }), expected === undefined ? [] : ['engine'])
      if (expected !== undefined) assert.match(causes[0]?.summary ?? '', expected)
    })
  }
  test('without systemd nothing is said; where it does not answer, that is a cause', async (t) => {
    const none = await readUnits(['x'], {}, '/nowhere')
    assert.deepEqual(await checkServices(surroundings(none)), { causes: [] })
    const PATH = programs(t, { systemctl: 'echo Failed to connect to bus >&2; exit 1' })
    const look = await checkServices(surroundings(await readUnits(['x'], { PATH }, '/')))
    assert.deepEqual([ids(look), look.unknown], [['systemd'], ['lists-update', 'groups-update', 'backup', 'prune']])
  })
})

describe('jobs', () => {
  const job = (name: string, service: Properties, timer: Properties = {}) => ({
    [`${name}.timer`]: { SubState: 'waiting', ...timer },
    [`${name}.service`]: { ActiveState: 'inactive', SubState: 'dead', UnitFileState: 'static', ...service },
  })
  const endedAt = (time: number) => ({ ExecMainExitTimestamp: `@${time / 1000}` })
  const look = async (t: TestContext, units: Readonly<Record<string, Properties>>, before = {}) => {
    const jobs = { before, after: before as Readonly<Record<string, number>> }
    const found = await checkJobs(surroundings(await unitsOf(t, units), { jobs }))
    return { causes: found.causes, after: jobs.after }
  }

  test('a backup that failed, as soon as it is seen; a disabled one is none', async (t) => {
    const failed = { ActiveState: 'failed', Result: 'exit-code', ...endedAt(NOW) }
    assert.deepEqual(ids(await look(t, job('gateway-engine-backup', failed))), ['backup:engine'])
    const off = { UnitFileState: 'disabled', ActiveState: 'inactive' }
    assert.deepEqual(ids(await look(t, job('gateway-engine-backup', failed, off))), [])
  })

  test('a deletion of old acceptances that failed, as PRUNE_OLDER_THAN=1y does, and one that there was not for days', async (t) => {
    const failed = { ActiveState: 'failed', Result: 'exit-code', ...endedAt(NOW) }
    const { causes } = await look(t, job('gateway-prune', failed))
    assert.deepEqual(ids({ causes }), ['prune'])
    assert.match(causes[0]?.summary ?? '', /^The last deletion of old acceptances has failed \(exit-code\)/)
    assert.equal(causes[0]?.remedy, 'journalctl -u gateway-prune -n 30; systemctl start gateway-prune')
    assert.deepEqual(ids(await look(t, job('gateway-prune', endedAt(NOW)))), [])
    assert.deepEqual(ids(await look(t, job('gateway-prune', {}), { 'gateway-prune': NOW - 3 * DAY_MS })), ['prune'])
  })

  test('lists that nothing has updated for three days, whatever the last attempts said', async (t) => {
    const failed = { ActiveState: 'failed', Result: 'exit-code', ...endedAt(NOW) }
    const units = job('gateway-lists', failed)
    assert.deepEqual(ids(await look(t, units, { 'gateway-lists': NOW - 2.9 * DAY_MS })), [])
    const { causes } = await look(t, units, { 'gateway-lists': NOW - 3.1 * DAY_MS })
    assert.deepEqual(ids({ causes }), ['lists-update'])
    assert.match(causes[0]?.summary ?? '', /^There was no update of the lists for 3 days/)
  })

  test('groups that nothing has updated for a day: a directory may be down for an hour', async (t) => {
    const failed = { ActiveState: 'failed', Result: 'exit-code', ...endedAt(NOW) }
    const units = job('gateway-groups', failed)
    assert.deepEqual(ids(await look(t, units, { 'gateway-groups': NOW - 0.9 * DAY_MS })), [])
    const { causes } = await look(t, units, { 'gateway-groups': NOW - 1.1 * DAY_MS })
    assert.deepEqual(ids({ causes }), ['groups-update'])
    assert.match(causes[0]?.summary ?? '', /^There was no update of the groups for 1 day; /)
    assert.match(causes[0]?.remedy ?? '', /journalctl -u gateway-groups /)
  })

  test('a success is remembered beyond a boot; the first round begins the count', async (t) => {
    const succeeded = await look(t, job('gateway-lists', endedAt(NOW - DAY_MS)), { 'gateway-lists': NOW - 9 * DAY_MS })
    assert.deepEqual([ids(succeeded), succeeded.after], [[], { 'gateway-lists': NOW - DAY_MS }])
    const first = await look(t, job('gateway-lists', {}))
    assert.deepEqual([ids(first), first.after], [[], { 'gateway-lists': NOW }])
  })

  test('a job without its configuration is skipped, and so is one that runs', async (t) => {
    const unmet = { ConditionResult: 'no', ConditionTimestampMonotonic: '123' }
    assert.deepEqual(ids(await look(t, job('gateway-lists', unmet), { 'gateway-lists': 0 })), [])
    const running = { ActiveState: 'activating', SubState: 'start', Result: 'success' }
    assert.deepEqual(ids(await look(t, job('gateway-portal-backup', running))), [])
  })
})

describe('the proxy', () => {
  const PROXY = { 'gateway-proxy.service': {} }
  /** @param status of a proxy that gives one answer to everything */
  async function look(t: TestContext, status: number, isElsewhere = false) {
    const port = await listen(
      t,
      createServer((_, response) => response.writeHead(status).end()),
    )
    const env = { GATEWAY_HOME: temporaryFolder(t), ...(!isElsewhere && { PROXY_LISTEN: `127.0.0.1:${port}` }) }
    const context = { env, clock: () => NOW } as unknown as Surroundings['context']
    const proxy = isElsewhere ? { host: '127.0.0.1', port } : undefined
    return await checkProxy(surroundings(await unitsOf(t, PROXY), { context, proxy }))
  }

  test('without a decision it is a cause; with one it is none', async (t) => {
    const outage = await look(t, 500)
    assert.deepEqual([ids(outage), outage.unknown], [['proxy-engine'], undefined])
    assert.deepEqual(await look(t, 400), { causes: [] })
  })

  test('where it denies this machine before that, this is said, with what to set', async (t) => {
    for (const [status, isElsewhere, summary, remedy] of [
      [
        407,
        false,
        /requires a user of 127\.0\.0\.1 \(407\)$/,
        /^set PROXY_AUTH_EXCEPT="127\.0\.0\.1" in .*restart gateway-proxy$/,
      ],
      [
        403,
        false,
        /does not serve 127\.0\.0\.1 \(403\)$/,
        /^add 127\.0\.0\.1 to PROXY_CLIENTS in .*restart gateway-proxy$/,
      ],
      [407, true, /requires a user of the watcher \(407\)$/, /PROXY_AUTH_EXCEPT="ADDRESS"/],
    ] as const) {
      const { causes, unknown } = await look(t, status, isElsewhere)
      assert.deepEqual([ids({ causes }), unknown], [['unchecked:proxy-engine'], ['proxy-engine']], `${status}`)
      assert.match(causes[0]?.summary ?? '', summary)
      assert.match(causes[0]?.remedy ?? '', remedy)
    }
    assert.deepEqual(await look(t, 403, true), { causes: [], unknown: ['proxy-engine'] }, 'a container')
  })
})

test('file systems: one cause for each, above the limit only, and none for folders that do not exist', async (t) => {
  const [one, two] = [temporaryFolder(t), temporaryFolder(t)]
  const [cause, ...others] = await fullDisks(['/nowhere', one, two], -1)
  assert.equal(others.length, 0)
  assert.equal(cause?.id, `disk:${one}`)
  assert.match(cause?.summary ?? '', /nearly full: \d+ % of its space/)
  assert.deepEqual(await fullDisks([one, '/proc'], 100), [])
  const shm = mkdtempSync('/dev/shm/disks-')
  t.after(() => rmSync(shm, { recursive: true }))
  const settings = { disk_percent: -1, folders: [shm] }
  assert.ok(
    ids(await checkDisks(surroundings(new Map(), { settings }))).includes(`disk:${shm}`),
    'a folder of [alarms]',
  )
})

describe('the clock', () => {
  const look = async (t: TestContext, virtual: string, synchronised: string) => {
    const PATH = programs(t, { 'systemd-detect-virt': `echo ${virtual}`, timedatectl: `echo ${synchronised}` })
    const context = { env: { PATH }, clock: () => NOW } as unknown as Surroundings['context']
    return ids(await checkClock(surroundings(new Map(), { context })))
  }
  test('that nothing synchronises is a cause, except in a container, whose clock is its host’s', async (t) => {
    assert.deepEqual(await look(t, 'none', 'no'), ['clock'])
    assert.deepEqual(await look(t, 'none', 'yes'), [])
    assert.deepEqual(await look(t, 'lxc', 'no'), [])
  })
})

describe('what the engine reports', () => {
  const list = { name: 'adult', entries: 1, fallback: null, since: null, optional: false }
  const healthy: EngineStatus = {
    ...{ time: new Date(NOW).toISOString(), instance: 'i', kid: 'k' },
    policy: { revision: 'r', rules: 1, default: 'allow', groups: 0, lists: [list] },
    last_load: { result: 'loaded', problems: [], warnings: [] },
    database: { up: true, fault: null, memory_backed: false, in_temporary_folder: false },
    journal: null,
    ...{ sessions: 0, lockouts: 0, permissions: 0, stopped_in_memory: 0, decisions: { json: 0, icap: 0 } },
  }
  const reportedJournal = (up: boolean, lost: number, events = 0): Pick<EngineStatus, 'journal'> => ({
    journal: {
      up,
      lost,
      lost_events: events,
      fault: null,
      queued: 0,
      days: 14,
      person_days: 3,
      hosts: true,
      oldest: null,
    },
  })
  const look = (change: Partial<EngineStatus>, journal = { before: EMPTY.journal, after: EMPTY.journal }) =>
    reportedCauses({ ...healthy, ...change }, { journal, now: NOW })

  for (const [name, change, expected] of [
    ['nothing', {}, []],
    ['a database that does not respond', { database: { ...healthy.database, up: false } }, ['engine-database']],
    [
      'a rejected policy',
      { last_load: { result: 'kept', problems: ['rules[2].users "anna"'], warnings: [] } },
      ['policy'],
    ],
    ['a rejected list', { last_load: { result: 'loaded', problems: ['x'], warnings: [] } }, ['lists']],
    ['a list from its copy', { policy: { ...healthy.policy, lists: [{ ...list, fallback: 'kept' }] } }, ['lists']],
    [
      'an optional list that is missing, at an engine that does not say since when',
      { policy: { ...healthy.policy, lists: [{ ...list, fallback: 'missing', optional: true }] } },
      [],
    ],
    ...(
      [
        ['since today', 0.9 * DAY_MS, []],
        ['for more than a day', 1.1 * DAY_MS, ['lists']],
      ] as const
    ).map(
      ([name, ms, expected]) =>
        [
          `an optional list that is missing ${name}`,
          {
            policy: {
              ...healthy.policy,
              lists: [{ ...list, fallback: 'missing', optional: true, since: new Date(NOW - ms).toISOString() }],
            },
          },
          expected,
        ] as const,
    ),
    ['a journal that cannot be written', reportedJournal(false, 0), ['journal']],
    ['no journal', { journal: null }, []],
  ] as const) {
    test(name, () => {
      const causes = look(change)
      assert.deepEqual(ids({ causes }), expected)
      // What a problem quotes from the policy may be a person's name.
      assert.doesNotMatch(JSON.stringify(causes), /anna/)
    })
  }

  test('rows that were lost are a cause for an hour, also after a restart of the engine', () => {
    const journal = { before: { lost: 5, grewAt: null }, after: EMPTY.journal }
    assert.deepEqual(look(reportedJournal(true, 5), journal), [])
    assert.deepEqual(ids({ causes: look(reportedJournal(true, 7), journal) }), ['journal'])
    assert.deepEqual(journal.after, { lost: 7, grewAt: NOW })
    assert.deepEqual(ids({ causes: look(reportedJournal(true, 2), journal) }), ['journal'])
    assert.deepEqual(ids({ causes: look(reportedJournal(true, 5, 1), journal) }), ['journal'])
    const quiet = (minutes: number) => ({ before: { lost: 7, grewAt: NOW - minutes * 60_000 }, after: EMPTY.journal })
    assert.deepEqual(ids({ causes: look(reportedJournal(true, 7), quiet(59)) }), ['journal'])
    assert.deepEqual(look(reportedJournal(true, 7), quiet(61)), [])
  })
})

test('a part that fails is a cause itself, leaves its areas unknown, and hides no other', async () => {
  const disk = { id: 'disk:/', summary: 'full', remedy: 'df' }
  const found = await checkEverything(surroundings('none'), {
    engine: {
      areas: ['engine'],
      check: async () => {
        throw new Error('GATEWAY_CAPTIVE_HTTP_PORT must be …\nsecond line')
      },
    },
    disks: { areas: ['disk'], check: async () => ({ causes: [disk, { ...disk, summary: 'again' }] }) },
  })
  assert.deepEqual(ids(found), ['unchecked:engine', 'disk:/'])
  assert.match(found.causes[0]?.summary ?? '', /cannot be checked: GATEWAY_CAPTIVE_HTTP_PORT must be …$/)
  assert.deepEqual(found.unknown, ['engine'])
})
