// The policy that the TOML file and the files it names describe, and what is wrong with them. Lists are read afterwards, by
// policy-store.ts: then the policy is built with them.
import { createHmac } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import type { ReadFile } from '../../settings/file.ts'
import type { TomlReading } from '../../settings/toml-file.ts'
import { type Declared, loadConditions } from '../policy/conditions.ts'
import { type Expectation, NO_CLIENT } from '../policy/expectations/expectation.ts'
import { formatOf } from '../policy/file-format.ts'
import { type Group, type GroupFile, parseUsers, type ReadUsers } from '../policy/group.ts'
import type { DomainList, ListSource } from '../policy/lists/domain-list.ts'
import { inOrder, type Override, type Policy, type Rule } from '../policy/policy.ts'
import { acceptedLossFrom } from '../policy/reload/accepted-loss.ts'
import { parseDates } from '../policy/schedule/dates-file.ts'
import { type ScheduleContent, type SpanContent, scheduleFault } from '../policy/schedule/schedule-shape.ts'
import { type ZoneClock, zoneClock } from '../policy/schedule/zone-clock.ts'
import { DEFAULT_EXEMPTIONS } from '../proxy-settings/exemptions.ts'
import type { Inspection } from '../proxy-settings/inspection.ts'
import { parseUser } from '../request/user.ts'
import type { FileContent, FileParts, RuleContent } from './file-shape.ts'

type Path = readonly PropertyKey[]

export interface PolicySource {
  /** The path of the TOML file: paths in it are relative to its folder. */
  readonly path: string
  readonly readFile: ReadFile
  readonly reading: TomlReading
  /** Of schedules and expiries that name none. */
  readonly timezone: string
}

/** Builds the policy with its lists, which have been read. */
export type BuildPolicy = (lists: readonly DomainList[]) => Policy

interface PolicyDraft {
  /** Lists and groups without problems. */
  readonly lists: readonly ListSource[]
  readonly groups: readonly Group[]
  /** Undefined where the file has problems. */
  readonly build: BuildPolicy | undefined
  readonly warnings: readonly string[]
}

/** Problems are recorded in the reading. */
export function draftPolicy(parts: FileParts, { path, readFile, reading, timezone }: PolicySource): PolicyDraft {
  const { problem } = reading
  const contents: Uint8Array[] = []
  const warnings: string[] = []
  const affixes = parts.users?.strip ?? []
  const absolute = (name: string) => resolve(dirname(path), name)
  const lists = parts.lists.flatMap((list, index): ListSource[] => {
    if (list === undefined) return []
    return [toSource(list, (key) => reading.placeOf(['lists', index, key]), absolute)]
  })
  const groups = parts.groups.flatMap(([name, group]): Group[] => {
    if (group === undefined) return []
    const users = toUsers(group.users)
    if (group.file === undefined) return [{ name, users: new Set(users), file: undefined }]
    const at = ['groups', name, 'file']
    const { users: further, ...extent } = readUsers(group.file, at)
    const file = { path: absolute(group.file), place: reading.placeOf(at), ...extent }
    return [{ name, users: new Set([...users, ...further]), file }]
  })

  /** The text of a file that the policy names; undefined where it cannot be used. */
  function readNamed(name: string, at: Path): string | undefined {
    try {
      const bytes = readFile(absolute(name))
      const format = formatOf(bytes)
      if (format !== undefined) throw new RangeError(`it is ${format}`)
      contents.push(bytes)
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const why = error instanceof TypeError ? 'not in UTF-8' : (code ?? message)
      problem(at, `must name a text file that can be read (${why})`)
      return undefined
    }
  }

  /** Without their affixes. */
  function toUsers(names: readonly string[]): readonly string[] {
    return names.flatMap((name) => parseUser(name, affixes) ?? [])
  }

  function readUsers(name: string, at: Path): Pick<ReadUsers, 'users'> & Omit<GroupFile, 'path' | 'place'> {
    const text = readNamed(name, at)
    if (text === undefined) return { users: [], size: 0, acceptsLossFrom: undefined }
    const { users, size, faults, doubts } = parseUsers(text, affixes)
    if (doubts.length > 0) {
      const place = `${reading.placeOf(at)}: ${absolute(name)}`
      warnings.push(`${place} has lines that may not be one user: ${namedLines(doubts)}`)
    }
    if (faults.length > 0) problem(at, `must name a file with one user per line (${namedLines(faults)})`)
    // As with a list: an incomplete file must not change who may do what.
    else if (users.length === 0) problem(at, 'must name a file with at least one user')
    return { users, size, acceptsLossFrom: acceptedLossFrom(text, size) }
  }

  function readDates(name: string, at: Path): ReadonlySet<number> {
    const text = readNamed(name, at)
    if (text === undefined) return new Set()
    const { dates, faults } = parseDates(text)
    const rule = 'one date (2026-12-25) or period (2026-12-24/2027-01-03) per line'
    if (faults.length > 0) problem(at, `must name a file with ${rule} (${namedLines(faults)})`)
    return dates
  }

  const expectations = parts.expect.flatMap((one, index): Expectation[] => {
    if (one === undefined) return []
    const { url, user, client = NO_CLIENT, at, verdict, rule } = one
    const request = { ...url, method: 'GET', client, user: user && parseUser(user, affixes) }
    const place = reading.placeOf(['expect', index])
    return [{ request, client: one.client?.address, at: instantOf(at, timezone), verdict, rule, place }]
  })
  const dates = new Map<string, ReadonlySet<number>>()
  /** @param at where one span is, or a list */
  function readDatesOf(spans: ScheduleContent, at: Path): void {
    for (const [index, span] of spans.entries()) {
      if (typeof span === 'string' || span.not_on === undefined || dates.has(span.not_on)) continue
      dates.set(span.not_on, readDates(span.not_on, [...(reading.isList(at) ? [...at, index] : at), 'not_on']))
    }
  }

  const schedules = new Map<string, readonly SpanContent[]>()
  for (const [name, spans] of parts.schedules) {
    if (spans === undefined) continue
    readDatesOf(spans, ['schedules', name])
    schedules.set(name, spans)
  }
  const rules = parts.rules.flatMap((rule, index) => {
    if (rule === undefined) return []
    const at = ['rules', index]
    const { when = [] } = rule
    readDatesOf(when, [...at, 'when'])
    const fault = scheduleFault(when, schedules)
    if (fault !== undefined) problem([...at, 'when'], fault)
    return [{ rule, line: reading.lineOf(at) }]
  })
  if (reading.problems().length > 0) return { lists, groups, build: undefined, warnings }
  // Without problems, no part is undefined.
  const file = parts as FileContent

  function build(loaded: readonly DomainList[]): Policy {
    const rooms = Object.entries(file.rooms).map(([name, networks]) => ({ name, networks }))
    const clock = zoneClock(timezone) as ZoneClock
    const declared: Declared = { lists: loaded, groups, rooms, affixes, dates, schedules, clock }
    // Keyed, because the file may contain PINs, and a revision is not secret.
    const revision = createHmac('sha256', file.captive_portal.secret[0]).update(JSON.stringify(reading.tables))
    for (const bytes of contents) revision.update(bytes)
    for (const { name, digest } of loaded) revision.update(`\n${name} ${digest}`)
    return {
      acknowledgementMs: file.acknowledgement_minutes * 60_000,
      rules: inOrder(rules.map(({ rule, line }) => toRule(rule, line, declared, file, timezone))),
      default: file.default,
      lists: loaded,
      groups,
      rooms,
      affixes,
      inspection: toInspection(file.inspection),
      internal: file.gateway.internal,
      expectations,
      revision: revision.digest('base64url').slice(0, 22),
    }
  }

  return { lists, groups, build, warnings }
}

/** A list of URLs alone is one file. */
function toSource(
  { name, path, urls, archive, member, format, optional }: NonNullable<FileParts['lists'][number]>,
  placeOf: (key: string) => string,
  absolute: (path: string) => string,
): ListSource {
  const list = { name, format, optional }
  if (archive !== undefined) return { ...list, path: absolute(archive), member, place: placeOf('archive') }
  if (path === undefined) return { ...list, path: absolute(`${urls}`), format: 'urls', place: placeOf('urls') }
  const source = { ...list, path: absolute(path), place: placeOf('path') }
  return urls === undefined ? source : { ...source, urls: absolute(urls) }
}

function toRule(
  rule: RuleContent,
  line: number | undefined,
  declared: Declared,
  file: FileContent,
  timezone: string,
): Rule {
  const { name, description, descriptions, category, action } = rule
  const common = {
    ...{ name, description, descriptions, category, line },
    ...loadConditions(rule, declared),
    except: rule.except && loadConditions(rule.except, declared),
  }
  if (action === 'allow') return { ...common, action }
  if (action === 'block') return { ...common, action, locked: rule.locked ?? false }
  return {
    ...common,
    action,
    acknowledge: rule.acknowledge ?? true,
    sessionMs: (rule.session_minutes ?? file.session_minutes) * 60_000,
    override: rule.override && toOverride(rule.override, file.override, timezone),
  }
}

function toInspection(file: FileContent['inspection']): Inspection {
  const { exempt, exempt_defaults, exempt_clients: exemptClients, safesearch, youtube, tenants } = file
  return {
    exempt,
    exemptDefaults: exempt_defaults ? DEFAULT_EXEMPTIONS : [],
    exemptClients,
    safesearch,
    youtube,
    tenants,
  }
}

/** Of lesson codes. */
const DEFAULT_PASSPHRASE_LENGTH = 12

function toOverride(
  { type, code, codes = [], length, prompt, attempts, lockout_seconds }: NonNullable<RuleContent['override']>,
  defaults: FileContent['override'],
  timezone: string,
): Override {
  const all = [
    ...(code === undefined ? [] : [{ code, expires: undefined }]),
    ...codes.map((one) => ({ code: one.code, expires: instantOf(one.expires, timezone) })),
  ]
  return {
    type,
    codes: all,
    length: type === 'pin' ? (all[0]?.code.length ?? length ?? 0) : (length ?? DEFAULT_PASSPHRASE_LENGTH),
    prompt,
    attempts: attempts ?? defaults.attempts,
    lockoutMs: (lockout_seconds ?? defaults.lockout_seconds) * 1000,
  }
}

/** Milliseconds since the epoch. */
function instantOf(moment: number | Temporal.PlainDateTime | undefined, timezone: string): number | undefined {
  return typeof moment === 'object' ? moment.toZonedDateTime(timezone).epochMilliseconds : moment
}

function namedLines(faults: readonly string[]): string {
  return faults.length > 10 ? `${faults.slice(0, 10).join(', ')}, …` : faults.join(', ')
}
