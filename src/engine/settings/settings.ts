// The engine's settings: the TOML file and the options that replace its keys, as one value or every problem at once.
import { dirname, resolve } from 'node:path'
import { deriveKeyring } from '../../contract/secret.ts'
import type { AddressRange } from '../../network/address-range.ts'
import { canonicalHost, parseHost } from '../../network/host.ts'
import { type ReadFile, readRegularFile } from '../../settings/file.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import { readTomlFile, type TomlReading } from '../../settings/toml-file.ts'
import { collide } from '../../start/listener.ts'
import { equalInConstantTime } from '../constant-time.ts'
import type { JournalSettings } from '../journal/journal.ts'
import type { AuditSettings } from '../monitoring/monitoring.ts'
import { CONDITION_KEYS, CONDITIONS } from '../policy/conditions.ts'
import type { Group } from '../policy/group.ts'
import type { ListSource } from '../policy/lists/domain-list.ts'
import { DEFAULT_LISTS_MEMORY_MB } from '../policy/lists/lists-memory.ts'
import type { Extent } from '../policy/reload/losses.ts'
import { MACHINE_TIMEZONE } from '../policy/schedule/zone-clock.ts'
import type { PortalIdentity } from '../portal-identity.ts'
import { type CommandLine, fileOptions } from './command-line.ts'
import { type FileParts, parseFile, RELOADED_KEYS, SECRET_KEYS } from './file-shape.ts'
import { type IcapSettings, toIcapSettings } from './icap.ts'
import { type BuildPolicy, draftPolicy } from './policy-draft.ts'
import { readToken } from './token-file.ts'
import { readSharedVariables, withHostname } from './variables.ts'

export interface Settings {
  readonly portal: PortalIdentity
  readonly buildPolicy: BuildPolicy
  /** `hostnames` are further names in the control API's certificate. */
  readonly control: {
    readonly host: string
    /** 0 selects a free port. */
    readonly port: number
    /** For connectors and portals. */
    readonly apiToken: string
    /** For administration; undefined where the API token suffices for it. */
    readonly adminToken: string | undefined
    /** Addresses that may connect; undefined for all. */
    readonly clients: readonly AddressRange[] | undefined
    readonly hostnames: readonly string[]
  }
  /** Reports of who uses an address. */
  readonly presence: {
    /** Undefined if nobody may report. */
    readonly token: string | undefined
    /** PROXY_AUTH_EXCEPT. */
    readonly authExcept: readonly AddressRange[]
  }
  /** Undefined if ICAP is off. */
  readonly icap: IcapSettings | undefined
  readonly certificates: {
    readonly folder: string
    /** A reader uses what an issuer publishes to the same folder. */
    readonly role: 'issuer' | 'reader'
    readonly organisation: string
    /** Whether the group of the portal's private key may read it. */
    readonly groupReadsKey: boolean
  }
  readonly state: {
    readonly location: DatabaseLocation
    /** Holds the key that only the engines have; created if it does not exist. */
    readonly keyFile: string
  }
  readonly journal: JournalSettings & { readonly location: DatabaseLocation }
  /** Where the operations listener listens; port 0 selects a free one. */
  readonly ops: { readonly host: string; readonly port: number } | 'off'
  readonly audit: AuditSettings
  /** The values of the keys that a reload does not put into force; contains secrets. */
  readonly restartOnly: Readonly<Record<string, unknown>>
  /** For all lists together, in megabytes; the default where the key has a problem. */
  readonly listsMemory: number
  readonly warnings: readonly string[]
}

type Always = 'restartOnly' | 'listsMemory' | 'presence' | 'warnings'

/** What can be read of settings with problems; what depends on one that has some is undefined. */
export type SettingsReading = Pick<Settings, Always> & {
  readonly [Key in Exclude<keyof Settings, Always>]: Settings[Key] | undefined
} & {
  /** Those of the policy; also where it has problems, so that theirs are found. */
  readonly lists: readonly ListSource[]
  readonly groups: readonly Group[]
  /** Undefined where the file cannot be read, is empty or cut. */
  readonly extent: Extent | undefined
  /** Where certificates are published, also if that section has problems. */
  readonly folder: string | undefined
  readonly problems: readonly string[]
}

/** @throws {ConfigProblems} */
export function settingsOf(reading: SettingsReading): Settings {
  if (reading.problems.length > 0) throw new ConfigProblems(reading.problems)
  // Without problems, only `icap` may be undefined.
  return reading as Settings
}

/**
 * Reads all settings, and every problem that they have.
 * @param copy of the policy's file, to be read instead of it
 * @param inForce of an engine that runs: a reload changes neither
 */
export function readSettings(
  commandLine: CommandLine,
  readFile: ReadFile = readRegularFile,
  copy = commandLine.config,
  inForce: Pick<SettingsReading, 'portal' | 'icap'> = { portal: undefined, icap: undefined },
): SettingsReading {
  const shared = readSharedVariables(commandLine.env)
  const reading = readTomlFile({
    path: copy,
    readFile,
    options: [...fileOptions(commandLine), ...shared.options],
    secretKeys: SECRET_KEYS,
  })
  const parts = withHostname(parseFile(reading), shared.hostname)
  for (const key of ['rules', 'lists']) reportRepeatedNames(key, reading)
  reportUnknownNames(reading)
  reportUnsharedState(reading)
  reportCollisions(parts, reading)
  reportUndecidedTunnels(parts, inForce.icap?.connect, reading)
  const { timezone = MACHINE_TIMEZONE } = commandLine
  const source = { path: commandLine.config, readFile, reading, timezone }
  const icap = parts.icap && toIcapSettings(parts.icap, source)
  const presence = {
    token: parts.presence && readToken('presence', parts.presence.token_file, source),
    authExcept: shared.authExcept,
  }
  reportSharedToken(presence.token, icap?.token, parts, reading)
  const { lists, groups, build, warnings } = draftPolicy(parts, source)
  const { captive_portal: portal, control, certificates, state, journal, ops, audit } = parts
  const stateSettings = certificates && state && toState(state, certificates.folder)
  return {
    lists,
    groups,
    extent: reading.tables && {
      path: copy,
      rules: parts.rules.length,
      expectations: parts.expect.length,
      default: parts.default,
      internal: parts.gateway?.internal.length,
      groups,
    },
    folder: folderOf(reading.tables) ?? (commandLine.publish || undefined),
    portal: inForce.portal ?? (portal && toPortal(portal)),
    buildPolicy: build,
    icap,
    presence,
    control: control && toControl(control),
    certificates: certificates && toCertificates(certificates),
    state: stateSettings,
    journal: stateSettings && journal && toJournal(journal, stateSettings.location),
    ops: ops?.listen,
    audit,
    restartOnly: Object.fromEntries(
      Object.entries(reading.tables ?? {}).filter(([key]) => !RELOADED_KEYS.includes(key)),
    ),
    listsMemory: parts.lists_memory_mb ?? DEFAULT_LISTS_MEMORY_MB,
    warnings: presence.token !== undefined && presence.authExcept.length === 0 ? [...warnings, NO_NETWORK] : warnings,
    problems: [...shared.problems, ...reading.problems()],
  }
}

const NO_NETWORK = '[presence]: no report names a user until PROXY_AUTH_EXCEPT names networks, for the engine, too'

/** The holder of another token must not name users, and the other way round. */
function reportSharedToken(
  token: string | undefined,
  icapToken: string | undefined,
  { control }: FileParts,
  { problem }: TomlReading,
): void {
  const others = {
    'control.api_token': control?.api_token,
    'control.admin_token': control?.admin_token,
    'the token of icap.token_file': icapToken,
  }
  for (const [name, other] of Object.entries(others)) {
    if (!token || other === undefined || !equalInConstantTime(token, other)) continue
    problem(['presence', 'token_file'], `must name a file with another token than ${name}`)
  }
}

/** Sessions, counts and logs are keyed by these names. Reads the raw file, so that no other problem hides this one. */
function reportRepeatedNames(key: string, { tables, problem }: TomlReading): void {
  const firsts = new Map<unknown, number>()
  namesOf(tables?.[key]).forEach((name, index) => {
    const first = firsts.get(name)
    if (first === undefined) firsts.set(name, index)
    else if (name !== undefined) problem([key, index, 'name'], `must differ from ${key}[${first + 1}].name`)
  })
}

/** Reads the raw file, too: a rule may have other problems, and so may the list that it names. */
function reportUnknownNames({ tables, problem }: TomlReading): void {
  const rules = tables?.rules
  if (!Array.isArray(rules)) return
  const declared = new Map<string, ReadonlySet<unknown>>(
    CONDITION_KEYS.map((key) => [key, new Set(namesOf(tables?.[sectionOf(key)]))]),
  )
  const report = (conditions: unknown, at: readonly PropertyKey[]) => {
    for (const key of CONDITION_KEYS) {
      const { declaredIn } = CONDITIONS[key]
      const names: unknown = Object(conditions)[key]
      if (declaredIn === undefined) continue
      const check = (name: unknown, place: readonly PropertyKey[]) => {
        // A schedule may be written out.
        const isName = key !== 'when' || typeof name === 'string'
        if (isName && !declared.get(key)?.has(name)) problem(place, `must name one of ${declaredIn}`)
      }
      if (typeof names === 'string' && key === 'when') check(names, [...at, key])
      if (!Array.isArray(names)) continue
      for (const [index, name] of names.entries()) check(name, [...at, key, index])
    }
  }
  rules.forEach((rule, index) => {
    report(rule, ['rules', index])
    report(rule?.except, ['rules', index, 'except'])
  })
}

/** The section that declares what the condition names. */
function sectionOf(key: (typeof CONDITION_KEYS)[number]): string {
  return (CONDITIONS[key].declaredIn ?? key).replace(/[[\]]/g, '')
}

/** Of `[[lists]]`, or of a section such as `[groups]`. */
function namesOf(tables: unknown): readonly unknown[] {
  return Array.isArray(tables) ? tables.map((one) => one?.name) : Object.keys(Object(tables))
}

/** By default the state is in the issuer's folder, where a reader has none. Reads the raw file, too. */
function reportUnsharedState({ tables, problem }: TomlReading): void {
  const { certificates, state } = tables ?? {}
  if (Object(certificates).role !== 'reader') return
  for (const key of ['url', 'key_file']) {
    if (Object(state)[key] === undefined) problem(['state', key], 'must be set where certificates.role is "reader"')
  }
}

/** Of the raw file, in which the option replaces it. */
function folderOf(tables: TomlReading['tables']): string | undefined {
  const folder: unknown = Object(tables?.certificates).folder
  return typeof folder === 'string' && folder !== '' ? folder : undefined
}

function reportCollisions({ control, icap, ops }: FileParts, { problem }: TomlReading): void {
  if (control && icap && collide(icap.listen, control.listen)) {
    problem(['icap', 'listen'], 'must differ from control.listen')
  }
  if (ops === undefined || ops.listen === 'off') return
  if (control && collide(ops.listen, control.listen)) problem(['ops', 'listen'], 'must differ from control.listen')
  else if (icap && collide(ops.listen, icap.listen)) problem(['ops', 'listen'], 'must differ from icap.listen')
}

/**
 * With `connect = "allow"` the engine never sees what the proxy does not decrypt.
 * @param inForce until a restart
 */
function reportUndecidedTunnels(
  { icap, rules }: FileParts,
  inForce: IcapSettings['connect'] | undefined,
  { problem }: TomlReading,
): void {
  const locked = rules.findIndex((rule) => rule?.locked)
  if (locked === -1) return
  const why = '"allow" opens what the proxy does not decrypt'
  if (icap?.connect === 'allow') {
    problem(['icap', 'connect'], `must be "decide" where a rule is locked: ${why}`)
  } else if (inForce === 'allow') {
    const rule = `must not be set until the engine is restarted, because icap.connect = "allow" is in force: ${why}`
    problem(['rules', locked, 'locked'], rule)
  }
}

function toPortal({ base_url: baseUrl, hostnames, secret }: NonNullable<FileParts['captive_portal']>): PortalIdentity {
  const names = [canonicalHost(new URL(baseUrl).hostname), ...hostnames.map((name) => parseHost(name) ?? name)]
  return { baseUrl, names, keyring: deriveKeyring(secret) }
}

function toControl(control: NonNullable<FileParts['control']>): Settings['control'] {
  const { listen, api_token: apiToken, admin_token: adminToken, clients, hostnames } = control
  return { ...listen, apiToken, adminToken, clients, hostnames }
}

function toCertificates(certificates: NonNullable<FileParts['certificates']>): Settings['certificates'] {
  const { folder, role, organisation, group_reads_key: groupReadsKey } = certificates
  return { folder, role, organisation, groupReadsKey }
}

function toState(state: NonNullable<FileParts['state']>, folder: string): Settings['state'] {
  return {
    location: state.url ?? { dialect: 'sqlite', path: resolve(folder, 'engine', 'state.db') },
    keyFile: state.key_file ?? resolve(folder, 'engine', 'state.key'),
  }
}

/** By default with the state: so engines that share it share the journal, too. */
function toJournal(journal: NonNullable<FileParts['journal']>, state: DatabaseLocation): Settings['journal'] {
  const { url, days, person_days: personDays, hosts } = journal
  return { location: url ?? nextTo(state), days, personDays, hosts }
}

function nextTo(state: DatabaseLocation): DatabaseLocation {
  if (state.dialect === 'postgres' || state.path === ':memory:') return state
  return { dialect: 'sqlite', path: resolve(dirname(state.path), 'journal.db') }
}
