// Random policies, and requests that their rules are about. Few names, so that they meet.
import fc from 'fast-check'
import { stringify } from 'smol-toml'
import { policy as policyText } from '../running-engine.ts'
import { switchesOn } from '../state/switches-on.ts'
import type { ObviousRequest, ObviousRule } from './obvious-policy.ts'

export const LISTS = {
  ads: ['ads.example', 'bücher.example', '.example.test', '192.0.2.7', 'a.b.c.d.e.example', 'a.example/shorts/'],
  games: ['*.b.example', 'XN--BCHER-KVA.test', 'a.a.example', '2001:db8::7', 'a.test/A%2fB', 'ads.test/Ü', 'b.test/a'],
}
export const GROUPS = {
  students: ['anna', 'Zoë', 'ben@school.example', 'STRASSE'],
  staff: ['Mr. Smith', 'SCHOOL\\dora'],
}
/** Two of them have addresses in common. */
export const ROOMS = {
  '12': ['198.51.100.0/25', '2001:db8:1::/48'],
  library: ['198.51.100.7', '10.1.2.0/30', '::/0'],
  guests: ['10.0.0.0/8'],
}
/** Switches of rules, each with the networks for which it is on. */
export const ON = {
  exam: ['198.51.100.0/25', '2001:db8:1::/48'],
  break: ['0.0.0.0/0', '::/0'],
  quiz: [],
}
export const SWITCHES = switchesOn(ON)
export const STRIP = ['School\\', '@school.example']
const HOLIDAYS = ['2026-10-25', '2026-12-25', '2027-03-14', '2027-03-28']

const label = fc.constantFrom('a', 'b', 'ads', 'bücher', 'xn--bcher-kva', 'BÜCHER', 'b-')
const domain = fc
  .tuple(fc.array(label, { maxLength: 2 }), fc.constantFrom('example', 'Example', 'test', 'example.test'))
  .map(([labels, top]) => [...labels, top].join('.'))
const words = (text: string) => fc.constantFrom(...text.split(' '))
const address = words('192.0.2.7 192.0.2.8 0xc0.0.2.7 2001:db8::7 2001:DB8:0::8 ::ffff:192.0.2.7')
const segment = fc.oneof(
  {
    weight: 14,
    arbitrary: words(
      'shorts Shorts SHORTS %53horts %73horts sh%6Frts shorts;x shorts%2Fa shorts%3Fa a a%5cb a\\b a{b a%7bb a%252Fb',
    ),
  },
  {
    weight: 20,
    arbitrary: words('.. .. . %2e %2e%2E ..; %2e%2e; a%2f..%2fshorts ;x=1 Ü ü %C3%9C %c3%bc %C3%bC %00 % %zz %253b'),
  },
  { weight: 1, arbitrary: fc.constant('') },
)
const path = fc.array(segment, { maxLength: 3 }).map((segments) => `/${segments.join('/')}`)
const prefix = path.filter((text) => !/[;\\]|^\/\//.test(text))
const hostPattern = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom('', '*.', '.'), domain).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.constant('*') },
  { weight: 1, arbitrary: words('192.0.2.7 2001:db8::7 ::ffff:192.0.2.7') },
  { weight: 1, arbitrary: words('192.0.2.0/29 192.0.2.9/29 0.0.0.0/0 2001:db8::/125 [::]/0 ::/128') },
)
const pathPattern = fc
  .tuple(fc.constantFrom('*', '.example', '.test'), prefix, fc.constantFrom('', '', '/*'))
  .filter(([, path, end]) => end === '' || path.length === 1 || !path.endsWith('/'))
  .map(([host, path, end]) => `${host}${path === '/' && end !== '' ? '' : path}${end}`)
const pattern = fc.oneof(hostPattern, pathPattern)
export const client = words('198.51.100.7 198.51.100.200 10.1.2.3 2001:db8:1::1 2001:db8:2::1 ::1')
export const range = words(
  '198.51.100.0/25 198.51.100.7 10.0.0.0/8 0.0.0.0/0 10.1.2.3/31 2001:db8:1::/48 2001:db8::/31 ::/0 2001:db8:1::1 ::1/128 2001:db8:2::/47',
)
const user = fc.constantFrom(
  ...['anna', 'ANNA', 'Zoe\u0308', 'ben@school.example', 'mr. smith', 'nobody'],
  ...['school\\Anna', 'ａｎｎａ', 'an\u200bna@SCHOOL.example', 'Ben', 'mr.\u00a0 SMITH', 'straße'],
  ...['dora', 'dora@other.example'],
)
const some = <T>(one: fc.Arbitrary<T>) => fc.option(fc.array(one, { minLength: 1, maxLength: 3 }), { nil: undefined })
const rooms = fc.subarray(Object.keys(ROOMS), { minLength: 1 })
const conditions = fc.record({
  match: some(pattern),
  lists: some(fc.constantFrom(...Object.keys(LISTS))),
  clients: some(range),
  rooms: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: rooms }),
  users: some(user),
  groups: some(fc.constantFrom(...Object.keys(GROUPS))),
})
const isNotEmpty = (value: object) => Object.values(value).some((one) => one !== undefined)

const ZONES = ['Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu', 'UTC']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const timeOfDay = (latest: number) =>
  fc.tuple(fc.nat({ max: latest }), fc.constantFrom(0, 30, 59)).map(([hour, minute]) => {
    const text = (number: number) => String(number).padStart(2, '0')
    return hour === 24 ? '24:00' : `${text(hour)}:${text(minute)}`
  })
const DATES = ['2026-10-04', '2026-10-24', '2026-10-25', '2026-11-01', '2027-03-13', '2027-03-28', '2027-04-04']
const date = fc.option(fc.constantFrom(...DATES), { nil: undefined })
const span = fc
  .record({
    days: fc.subarray(DAYS, { minLength: 1 }),
    ...{ on: date, until: date },
    ...{ from: timeOfDay(23), to: timeOfDay(24), timezone: fc.constantFrom(...ZONES) },
  })
  .filter(({ on, until, from, to }) => from !== to && (on === undefined || until === undefined || on <= until))
  .map((span) => ({ ...span, holidays: HOLIDAYS }))
export const when = fc.array(span, { minLength: 1, maxLength: 3 })
/** Most rules name one thing: with all of them hardly anything matches. */
const rule = fc.oneof(
  conditions.filter(isNotEmpty),
  fc.record({ match: fc.array(hostPattern, { minLength: 1, maxLength: 3 }) }),
  { weight: 2, arbitrary: fc.record({ match: fc.array(pathPattern, { minLength: 1, maxLength: 3 }) }) },
  fc.record({ lists: fc.subarray(Object.keys(LISTS), { minLength: 1 }) }),
  fc.record({ clients: fc.array(range, { minLength: 1, maxLength: 2 }), when }),
  fc.oneof(fc.record({ when }), fc.record({ rooms })),
)
export const rules = fc
  .array(
    fc.record({
      named: rule,
      action: fc.constantFrom('allow', 'block', 'warn'),
      except: fc.option(conditions.filter(isNotEmpty), { nil: undefined, freq: 3 }),
      isLocked: fc.boolean(),
      switch: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.constantFrom(...Object.keys(ON))),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all): ObviousRule[] => JSON.parse(JSON.stringify(all.map(named))))

function named(
  { named, isLocked, ...rest }: { readonly named: object; readonly isLocked: boolean; readonly action: string },
  index: number,
) {
  const locked = rest.action === 'block' && isLocked ? true : undefined
  return { name: `r${index}`, ...named, ...rest, locked }
}

/** Minutes around changes of the offset in these zones, and others. */
const CHANGES = words(
  '2026-10-25T01:00Z 2027-03-28T01:00Z 2026-11-01T06:00Z 2027-03-14T07:00Z 2027-04-03T15:00Z 2026-10-03T15:30Z',
)
const at = fc.oneof(
  fc
    .tuple(CHANGES, fc.integer({ min: -36 * 60, max: 36 * 60 }))
    .map(([change, minutes]) => Date.parse(change) + minutes * 60_000),
  fc.integer({ min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2028-01-01T00:00Z') }),
)
export const request = fc
  .record({
    scheme: fc.constantFrom('http', 'https', 'HTTP'),
    host: fc.oneof(
      {
        weight: 5,
        arbitrary: fc.tuple(domain, fc.constantFrom('', '.', ':8080', '.:443')).map((parts) => parts.join('')),
      },
      { weight: 1, arbitrary: address.map((one) => (one.includes(':') ? `[${one}]` : one)) },
    ),
    path: fc.oneof(path, fc.constantFrom('', '?shorts', '#/shorts', '/shorts?x#y')),
    client,
    user: fc.option(user, { nil: undefined }),
    at,
  })
  .map(({ scheme, host, path: rest, ...others }): ObviousRequest => ({ url: `${scheme}://${host}${rest}`, ...others }))

export function toToml(all: readonly ObviousRule[]): string {
  const schedules: Record<string, object> = {}
  const tables = all.map(({ when, ...one }, index) => {
    if (when === undefined) return one
    const spans = when.map(({ holidays, days, ...times }) => {
      return { ...times, days: days.join(','), ...(holidays.length > 0 && { not_on: 'holidays.txt' }) }
    })
    const [first = {}, ...others] = spans
    if (index % 2 === 0) return { ...one, when: others.length === 0 ? first : spans }
    schedules[one.name] = others.length === 0 ? first : others
    return { ...one, when: others.length === 0 ? one.name : [one.name, first] }
  })
  const lists = Object.keys(LISTS).map((name) => ({ name, path: `${name}.txt` }))
  const groups = {
    students: { users: GROUPS.students.slice(0, 1), file: 'students.txt' },
    staff: { users: GROUPS.staff },
  }
  return policyText(stringify({ rules: tables, lists, groups, rooms: ROOMS, schedules, users: { strip: STRIP } }))
}

export const FILES: Readonly<Record<string, string>> = {
  'holidays.txt': `# school holidays\r\n${HOLIDAYS.join('\n')}\n`,
  'students.txt': GROUPS.students.join('\r\n'),
}
