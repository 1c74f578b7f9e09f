// A machine in a folder, with a systemctl that reports what a test wants, and what the archives of another one have.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import packageJson from '#package' with { type: 'json' }
import { exitOf } from '../../../src/gatewayctl/failure.ts'
import { restore } from '../../../src/gatewayctl/restore/restore.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createContext } from '../gatewayctl.ts'
import { manifest, OWN } from './backup.ts'

export const NOW = Date.parse('2026-11-28T10:15:00Z')
export const KEPT = '.before-restore-20261128T101500Z'
export const ALL = [
  ...['engine', 'portal', 'terminator', 'proxy'].map((name) => `gateway-${name}.service`),
  ...['engine-backup', 'lists', 'groups', 'portal-backup', 'prune'].map((name) => `gateway-${name}.timer`),
]
export const ON = ['gateway-engine.service', 'gateway-portal.service', 'gateway-engine-backup.timer']
export const ENGINE = {
  'gateway-backup': manifest({ enabled: ON.join(' ') }),
  'var/lib/gateway-engine/engine/state.db': 'old state',
  'var/lib/gateway-engine/engine/accepted-policy.toml.lists/lists.json': '[]',
  'var/lib/gateway-lists/adult.txt': 'casino.example\n',
  'etc/gateway/.env': 'GATEWAY_CAPTIVE_HOSTNAME=localhost\n',
  'etc/gateway/backup.recipients': 'age1\n',
  'etc/gateway/portal.unit': 'gateway-portal.service\n',
  'etc/gateway/engine/policy.toml': 'default = "allow"\n',
  'etc/systemd/system/gateway-portal.service.d/override.conf': '[Service]\n',
}
export const PORTAL = {
  'gateway-backup': manifest({ enabled: ON.join(' '), time: '2026-11-27T03:29:00Z' }),
  'var/lib/portal/secret-file': 'a ledger',
  'etc/gateway/.env': 'GATEWAY_CAPTIVE_HOSTNAME=older.example\n',
}

export interface Reported {
  readonly installed?: readonly string[]
  readonly active?: readonly string[]
  /** After the start; by default all services that are started. */
  readonly running?: readonly string[]
  /** At the first question none of them is. */
  readonly isLate?: true
  /** A command of systemctl that fails. */
  readonly failing?: string
  /** How long services may take until they respond. */
  readonly startMs?: number
  /** Of the command. */
  readonly variables?: Readonly<Record<string, string>>
}

/** A machine after the packages have been installed, on which the gateway has run. */
export function createMachine(
  t: TestContext,
  { installed = ALL, active = [], running = ALL, isLate, failing = 'none', startMs = 0, variables = {} }: Reported = {},
) {
  const root = temporaryFolder(t)
  const files = {
    'etc/gateway/.env': 'GATEWAY_CAPTIVE_HOSTNAME=\n',
    'etc/gateway/portal.unit': 'gateway-portal.service\n',
    'var/lib/portal/portal.db': 'present ledger',
    'usr/lib/gateway/package.json': `{ "version": "${packageJson.version}" }`,
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const [bin, log] = [temporaryFolder(t), join(temporaryFolder(t), 'log')]
  const units = (names: readonly string[]) => names.map((name) => `echo '${name} enabled disabled'`).join('; ') || ':'
  writeFileSync(
    join(bin, 'systemctl'),
    `#!/bin/sh
case "$*" in
  ${failing}*) echo 'it does not work' >&2; exit 1 ;;
  list-unit-files*nginx*) echo 'nginx.service enabled enabled' ;;
  list-unit-files*) ${units(installed)} ;;
  list-units*gateway-\\*) ${units(active)} ;;
  list-units*--state=active\\ *) ${isLate ? `[ -e '${log}.asked' ] || { touch '${log}.asked'; exit; }; ` : ''}${units(running)} ;;
  list-units*) ${units(ON.filter((unit) => unit.endsWith('.timer')))} ;;
  show*) echo /usr/lib/gateway ;;
  *) echo "$*" >>'${log}' ;;
esac
`,
    { mode: 0o755 },
  )
  writeFileSync(log, '')
  const env = { ...variables, PATH: `${bin}:${process.env.PATH}` }
  return {
    root,
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    /** What it changed by systemctl. */
    changes: () => readFileSync(log, 'utf8').trim().split('\n'),
    /** Every file with its content. */
    tree: () =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .toSorted()
        .map((path) => (statSync(join(root, path)).isFile() ? `${path}: ${readFileSync(join(root, path))}` : path)),
    async run(archives: readonly string[], identity: string, options: object = { yes: true }, isRoot = true) {
      const { context, output } = createContext({ env, clock: () => NOW })
      const machine = { root, isRoot, owners: OWN, startMs }
      const ended = await restore(context, archives, { identity, ...options }, machine).then(
        () => ({ exitCode: 0, message: '' }),
        (error: unknown) => ({ message: '', ...exitOf(error) }),
      )
      return { ...ended, ...output() }
    },
  }
}
