// The shape of the TOML file: what each key may hold. rule-shape.ts has that of the rules. Each part is parsed on its own:
// a mistake in one hides none in another.
import * as z from 'zod'
import { canonicalAddress, parseHostAndPort } from '../../network/host-and-port.ts'
import { ALARMS_SECRET_KEYS, alarms } from '../../settings/sections/alarms.ts'
import { databaseUrl } from '../../settings/sections/database.ts'
import {
  evenWithProblems,
  host,
  integer,
  line,
  origin,
  parsed,
  secrets,
  text,
  visibleAscii,
} from '../../settings/shapes.ts'
import type { TomlReading } from '../../settings/toml-file.ts'
import { equalInConstantTime } from '../constant-time.ts'
import { expectation, MAXIMUM_EXPECTATIONS } from '../policy/expectations/expectation-shape.ts'
import { LIST_FORMATS } from '../policy/lists/domain-list.ts'
import { DEFAULT_LISTS_MEMORY_MB } from '../policy/lists/lists-memory.ts'
import { namedSchedule } from '../policy/schedule/schedule-shape.ts'
import { affix, clients, name, path, user } from '../policy/value-shapes.ts'
import { icap } from './icap.ts'
import { gateway, inspection } from './inspection-shape.ts'
import { attempts, lockoutSeconds, minutes, rule } from './rule-shape.ts'

/** Names of keys that hold secrets. */
export const SECRET_KEYS = ['secret', 'api_token', 'admin_token', 'code', 'url', ...ALARMS_SECRET_KEYS]

const MAXIMUM_BASE_URL = 300
/** Characters: ub-organization-name of X.520 (RFC 5280, appendix A). */
export const MAXIMUM_ORGANISATION = 64

const hostnames = z.array(host.transform(canonicalAddress)).default([])

export const list = z
  .strictObject({
    name,
    path: path.optional(),
    urls: path.optional(),
    archive: path.optional(),
    member: path.optional(),
    format: z.enum(LIST_FORMATS, `must be one of ${LIST_FORMATS.map((one) => `"${one}"`).join(', ')}`).default('auto'),
    optional: z.boolean().default(false),
  })
  .refine(({ path, urls, archive }) => (archive === undefined) !== (path === undefined && urls === undefined), {
    path: ['path'],
    error: 'must be set, or else an archive and its member',
  })
  .refine(({ archive, member }) => (archive === undefined) === (member === undefined), {
    path: ['member'],
    error: 'must be set with an archive, and without one it must not be',
  })

export const group = z
  .strictObject({ users: z.array(user).default([]), file: path.optional() })
  .refine(({ users, file }) => users.length > 0 || file !== undefined, 'must name users or a file')

export const sections = {
  captive_portal: z.strictObject({
    secret: secrets.refine(({ length }) => length === 1, 'must hold one secret: the engine seals with one'),
    base_url: origin
      .transform((url) => url.origin)
      .refine(({ length }) => length <= MAXIMUM_BASE_URL, `must have at most ${MAXIMUM_BASE_URL} characters`),
    hostnames,
  }),
  control: z
    .strictObject({
      listen: parsed('HOST:PORT', (value) => parseHostAndPort(value, 0)).prefault('127.0.0.1:11225'),
      api_token: visibleAscii(16, 512),
      admin_token: visibleAscii(16, 512).optional(),
      clients: clients.optional(),
      hostnames,
    })
    .refine(({ api_token, admin_token }) => !areEqual(admin_token, api_token), {
      ...evenWithProblems,
      path: ['admin_token'],
      error: 'must differ from control.api_token',
    }),
  certificates: z.strictObject({
    folder: text(1, 4096),
    role: z.enum(['issuer', 'reader'], '"issuer" or "reader"').default('issuer'),
    organisation: line(MAXIMUM_ORGANISATION)
      .refine((value) => value.trim() !== '', 'must not be empty')
      .default('Gateway'),
    group_reads_key: z.boolean().default(false),
  }),
  state: z.strictObject({ url: databaseUrl.optional(), key_file: text(1, 4096).optional() }).prefault({}),
  journal: z
    .strictObject({
      url: databaseUrl.optional(),
      days: integer(0, 3650).default(14),
      person_days: integer(0, 3650).default(3),
      hosts: z.boolean().default(true),
    })
    .refine(({ days, person_days }) => person_days <= days || days === 0, {
      path: ['person_days'],
      error: 'must be at most journal.days',
    })
    .prefault({}),
  ops: z
    .strictObject({
      listen: parsed('HOST:PORT, or empty', (value) => (value === '' ? 'off' : parseHostAndPort(value, 0))).prefault(
        '127.0.0.1:9465',
      ),
    })
    .prefault({}),
  icap,
  presence: z.strictObject({ token_file: path }).optional(),
  alarms: alarms.optional(),
  audit: z.strictObject({ allowed: z.boolean().default(false), hosts: z.boolean().default(false) }).prefault({}),
  override: z
    .strictObject({ attempts: attempts.default(5), lockout_seconds: lockoutSeconds.default(900) })
    .prefault({}),
  session_minutes: minutes.default(60),
  acknowledgement_minutes: minutes.default(20),
  lists_memory_mb: integer(1, 65_536).default(DEFAULT_LISTS_MEMORY_MB),
  default: z.enum(['allow', 'block'], 'must be "allow" or "block"').default('allow'),
  rules: z.array(z.unknown()).default([]),
  lists: z.array(z.unknown()).default([]),
  groups: z.record(name, z.unknown()).default({}),
  expect: z
    .array(z.unknown())
    .max(MAXIMUM_EXPECTATIONS, `must have at most ${MAXIMUM_EXPECTATIONS} entries`)
    .default([]),
  rooms: z.record(name, clients).default({}),
  schedules: z.record(name, z.unknown()).default({}),
  users: z.strictObject({ strip: z.array(affix).default([]) }).prefault({}),
  inspection,
  gateway,
}

/** The values may be of any type if the table has other problems. */
function areEqual(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && equalInConstantTime(one, other)
}

/** Keys whose changes a reload puts into force; those of all others need a restart. */
export const RELOADED_KEYS: readonly string[] = [
  'session_minutes',
  'acknowledgement_minutes',
  'lists_memory_mb',
  'override',
  'default',
  'rules',
  'lists',
  'groups',
  'expect',
  'rooms',
  'schedules',
  'users',
  'inspection',
  'gateway',
  // Read by `gatewayctl alarms` alone, in each round.
  'alarms',
] satisfies (keyof typeof sections)[]

type Sections = { readonly [Key in keyof typeof sections]: z.output<(typeof sections)[Key]> }

/** The sections of a file without problems. */
export type FileContent = Omit<Sections, 'rules' | 'lists' | 'groups' | 'expect' | 'schedules'>

export type RuleContent = z.output<typeof rule>

/** Parts with a problem are undefined. */
export type FileParts = { readonly [Key in keyof FileContent]: FileContent[Key] | undefined } & {
  readonly rules: readonly (RuleContent | undefined)[]
  readonly lists: readonly (z.output<typeof list> | undefined)[]
  readonly groups: readonly (readonly [name: string, group: z.output<typeof group> | undefined])[]
  readonly expect: readonly (z.output<typeof expectation> | undefined)[]
  readonly schedules: readonly (readonly [name: string, spans: z.output<typeof namedSchedule> | undefined])[]
}

export function parseFile({ tables, parse }: TomlReading): FileParts {
  const keys = Object.keys(sections)
  parse(z.strictObject(Object.fromEntries(keys.map((key) => [key, z.unknown().optional()]))))
  const parts = Object.entries(sections).map(([key, shape]) => [key, parse(shape, [key])])
  const { rules, lists, groups, expect, schedules } = tables ?? {}
  return {
    ...(Object.fromEntries(parts) as { [Key in keyof FileContent]: FileContent[Key] | undefined }),
    rules: entries(rules).map((_, index) => parse(rule, ['rules', index])),
    lists: entries(lists).map((_, index) => parse(list, ['lists', index])),
    groups: Object.keys(Object(groups)).map((name) => [name, parse(group, ['groups', name])]),
    expect: entries(expect).map((_, index) => parse(expectation, ['expect', index])),
    schedules: Object.keys(Object(schedules)).map((name) => [name, parse(namedSchedule, ['schedules', name])]),
  }
}

function entries(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
