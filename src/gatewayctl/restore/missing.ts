// What a restored machine still lacks, because no archive has it: names, addresses, databases and files elsewhere, timers.
import { lookup } from 'node:dns/promises'
import { existsSync, readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../settings/reading.ts'
import type { Finding } from '../doctor/finding.ts'
import { printable } from '../terminal/printable.ts'
import { type Elsewhere, elsewhereFindings } from './databases.ts'
import { logFindings } from './logs.ts'
import type { Manifest } from './manifest.ts'
import { configuredTimers, isTimer } from './units.ts'

export interface Restored {
  /** `/`, except in tests. */
  readonly root: string
  /** Of .env, and of the files of services. */
  readonly variables: Environment
  /** Of the newest archive. */
  readonly manifest: Manifest | undefined
  /** Those that the archives have, and files that are replaced alone. */
  readonly folders: readonly string[]
  /** When the oldest archive was made, in ISO 8601; undefined if that is not known. */
  readonly since: string | undefined
  readonly elsewhere: readonly Elsewhere[]
  readonly leftOut: readonly string[]
  /** Units that were turned on, and others that were on on the old machine. */
  readonly units: readonly string[]
  readonly unknownUnits: readonly string[]
}

const HOME = 'etc/gateway'
const KERBEROS = '/etc/krb5.conf'
/** Paths that a start or a job creates; the portal reports its own policy. */
const CREATED =
  /^((PROXY|TERMINATOR)_(RUN|ACCESS_LOG)|BACKUP_FOLDER|GATEWAY_CAPTIVE_AUP_PATH)$|^GATEWAY_CAPTIVE_DATABASE_URL/

export async function missingFindings(restored: Restored): Promise<readonly Finding[]> {
  return [
    ...archiveFindings(restored),
    ...(await nameFindings(restored)),
    ...addressFindings(restored),
    ...elsewhereFindings(restored),
    ...deletionFindings(restored),
    ...logFindings(restored),
    ...interceptionFindings(restored),
    ...fileFindings(restored),
    ...keytabFindings(restored),
    ...linkFindings(restored),
    ...backupFindings(restored),
    ...timerFindings(restored),
    ...restored.unknownUnits.map((unit) =>
      failing(
        'unit',
        `${unit} was on, and is no unit of the packages`,
        `install it, then: systemctl enable --now ${unit}`,
      ),
    ),
  ]
}

const failing = (check: string, detail: string, advice: string): Finding => ({
  check,
  state: 'failing',
  detail,
  advice,
})
const warning = (check: string, detail: string, advice: string): Finding => ({
  check,
  state: 'warning',
  detail,
  advice,
})

function archiveFindings({ units, folders, elsewhere }: Restored): readonly Finding[] {
  const kinds = [
    ['engine', 'var/lib/gateway-engine', 'it creates a new CA, which no device trusts, and has no sessions'],
    ['portal', 'var/lib/portal', 'the ledger is empty'],
  ] as const
  return kinds.flatMap(([kind, folder, lost]) => {
    const isInPostgres =
      kind === 'portal' && elsewhere.some((one) => one.kind === 'ledger' && one.location === 'postgres')
    if (folders.includes(folder) || isInPostgres || !units.includes(`gateway-${kind}.service`)) return []
    return [
      failing('archive', `no archive of the ${kind} was given: ${lost}`, `also restore gateway-${kind}-….tar.gz.age`),
    ]
  })
}

/** The portal's name leads devices here, or still to the old machine. */
async function nameFindings({ variables }: Restored): Promise<readonly Finding[]> {
  const name = variables.GATEWAY_CAPTIVE_HOSTNAME?.trim()
  if (!name) return []
  const advice = `let ${name} lead to this machine: in DNS, or in /etc/hosts of the old machine, which is in no archive`
  try {
    const found = (await lookup(name, { all: true })).map(({ address }) => address)
    const own = ownAddresses()
    if (found.some((address) => own.includes(address))) {
      return [{ check: 'name', state: 'ok', detail: `${name} leads to this machine` }]
    }
    return [failing('name', `${name} leads to ${found.join(', ')}, which is not this machine`, advice)]
  } catch (error) {
    return [failing('name', `no address is known for ${name} (${(error as NodeJS.ErrnoException).code})`, advice)]
  }
}

function addressFindings({ manifest }: Restored): readonly Finding[] {
  const before = manifest?.addresses ?? []
  const own = ownAddresses()
  if (before.length === 0 || before.some((address) => own.includes(address))) return []
  const now = own.filter((address) => !/^(127\.|::1$|fe80:)/.test(address)).join(', ')
  return [
    warning(
      'address',
      `the old machine had ${before.join(', ')}; this one has ${now === '' ? 'none' : now}`,
      'give it the old address, or change devices, DNS, firewall and internal in the policy',
    ),
  ]
}

/** The archives still have persons who were deleted later. */
function deletionFindings({ since }: Restored): readonly Finding[] {
  return [
    warning(
      'deletions',
      `who was deleted after ${since ?? 'the archive was made'} is back`,
      'repeat each deletion since then: gatewayctl privacy delete (docs/privacy.md, "Logs and backups")',
    ),
  ]
}

/** The network's settings are the operator's, and in no archive. */
function interceptionFindings({ root, variables }: Restored): readonly Finding[] {
  const ports = [variables.PROXY_TRANSPARENT_HTTP, variables.PROXY_TRANSPARENT_HTTPS]
  const rules = readIfThere(join(root, 'etc/nftables.conf')) ?? ''
  if (!ports.some((port) => port?.trim()) || /\bgateway_proxy\b/.test(rules)) return []
  return [
    warning(
      'interception',
      '/etc/nftables.conf redirects nothing to the transparent ports of the proxy',
      'copy it and /etc/sysctl.d/60-gateway.conf, or create them again: docs/proxy-clients.md, "Transparent interception"',
    ),
  ]
}

/** Files and folders that settings name, such as certificates. */
function fileFindings({ root, variables }: Restored): readonly Finding[] {
  return Object.entries(variables).flatMap(([name, value = '']) => {
    const isPath = /^\/[^\s:*]+$/.test(value) && !CREATED.test(name)
    if (!isPath || existsSync(join(root, value))) return []
    return [
      failing(
        'file',
        `${name} names ${printable(value)}, which is missing`,
        'copy it from the old machine, or create it again',
      ),
    ]
  })
}

/** A file of Squid's lines for Kerberos names the keytab. */
function keytabFindings({ root, variables }: Restored): readonly Finding[] {
  const lines = variables.PROXY_AUTH ? (readIfThere(join(root, variables.PROXY_AUTH)) ?? '') : ''
  const [, keytab] = /^[^#\n]*negotiate_kerberos_auth\b[^\n]* -k (\S+)/m.exec(lines) ?? []
  if (keytab === undefined) return []
  const advice = 'copy it, or create it again: docs/kerberos.md, "The keytab"'
  const missing = (path: string) => !existsSync(join(root, path))
  return [
    ...(missing(keytab) ? [failing('keytab', `${printable(keytab)} is missing`, advice)] : []),
    ...(missing(KERBEROS) ? [warning('kerberos', `${KERBEROS} is missing, which no archive has`, advice)] : []),
  ]
}

function linkFindings({ leftOut }: Restored): readonly Finding[] {
  return leftOut.map((link) =>
    failing(
      'link',
      `a link that leads elsewhere was left out: ${printable(link)}`,
      'create it, and what it names, again',
    ),
  )
}

function backupFindings({ root }: Restored): readonly Finding[] {
  if (existsSync(join(root, HOME, 'backup.recipients'))) return []
  return [
    failing('backup', '/etc/gateway/backup.recipients is missing: nothing is backed up', 'docs/run.md, "Every night"'),
  ]
}

/** Those with something to do that are off. */
function timerFindings({ root, variables, units, folders }: Restored): readonly Finding[] {
  const services = {
    engine: units.includes('gateway-engine.service') || folders.includes('var/lib/gateway-engine'),
    portal: units.includes('gateway-portal.service') || folders.includes('var/lib/portal'),
  }
  const off = Object.entries(configuredTimers(join(root, HOME), variables, services)).flatMap(
    ([timer, isConfigured]) => (isConfigured && !units.includes(timer) ? [timer] : []),
  )
  const on = units.filter(isTimer)
  return off.length === 0
    ? [{ check: 'timers', state: 'ok', detail: on.length === 0 ? 'none is needed' : on.join(', ') }]
    : [failing('timers', `${off.join(', ')}: off`, `systemctl enable --now ${off.join(' ')}`)]
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
