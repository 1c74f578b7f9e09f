// A month of a school: pupils in their rooms, lessons, lists, and truths that a report must find again: a list that stops too
// much, a cause of permissions, a busiest hour, and the night in which the clocks change. The same seed makes the same month.
import { rule } from './rules.ts'

/** March 2027: on Sunday the 28th, the hour from 2 to 3 is missing. */
export const ZONE = 'Europe/Zurich'
export const MONTH = { since: '2027-03-01', until: '2027-04-01' } as const
export const CODE = '481516'
export const PLANTED = {
  /** Names the pages of a museum, which nothing else names. */
  list: 'broad',
  /** Their host, with what is below it. */
  permitted: { host: '.museum.example', times: 12 },
  busiest: { at: '2027-03-16T10:00', more: 400 },
  /** At night, before and after the hour that is missing. */
  changedClocks: { date: '2027-03-28', before: 30, after: 50 },
  /** Of a code, on a day each. */
  guessers: ['pupil-007', 'pupil-021'],
} as const

export interface SchoolStop {
  readonly verdict: 'block' | 'warn' | 'aup'
  readonly rule: string
  readonly category: string | undefined
  readonly list: string | undefined
}

/** A request of a pupil, and what it leads to. */
export interface SchoolRequest {
  readonly kind: 'request'
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly user: string
  readonly client: string
  readonly group: string
  readonly host: string
  /** Undefined where it is allowed. */
  readonly stop: SchoolStop | undefined
  /** What the pupil does on the page, in order: continues with the code or without one, or enters a wrong one. */
  readonly acts: readonly ('continues' | 'guesses')[]
}

export interface SchoolPermission {
  readonly kind: 'permission'
  readonly at: number
  readonly host: string
  readonly minutes: number
}

export interface SchoolSwitch {
  readonly kind: 'switch'
  readonly at: number
  readonly minutes: number
}

export type SchoolEvent = SchoolRequest | SchoolPermission | SchoolSwitch

interface Site {
  readonly host: string
  readonly stop: SchoolStop | undefined
}

const CLASSES = 6
const PUPILS_OF_A_CLASS = 10
const LESSONS = [8, 9, 10, 11, 13, 14]
/** After an acknowledgement: shorter than what is left of an hour then. */
const SESSION_MINUTES = 10
const ATTEMPTS = 5

const numbered = (count: number, name: (number: string) => string) =>
  Array.from({ length: count }, (_, at) => name(String(at + 1).padStart(2, '0')))
const GAMES = numbered(30, (number) => `game-${number}.example`)
const CASINOS = numbered(10, (number) => `casino-${number}.example`)
const SOCIAL = numbered(8, (number) => `social-${number}.example`)
const LESSON_SITES = numbered(12, (number) => `lesson-${number}.example`)
const MUSEUM = ['museum.example', 'pictures.museum.example']

/** The policy, for `policy()` of the tests' engine: its rules with lists and groups. */
export const SCHOOL_POLICY = {
  topLevel: `session_minutes = ${SESSION_MINUTES}`,
  rules: [
    '[journal]\ndays = 60\nperson_days = 60\n',
    ...numbered(CLASSES, (number) => `[groups.class-${number}]\nusers = ${JSON.stringify(pupilsOf(Number(number)))}\n`),
    '[groups.teachers]\nusers = ["ms-rossi"]\n',
    '[rooms]',
    ...numbered(CLASSES, (number) => `room-${number} = ["10.20.${Number(number)}.0/24"]`),
    '',
    rule('exam', 'block', 'match = ["exam.example"]', 'switch = "exam"'),
    // Only for teachers: what they name is named, but stops no pupil.
    rule('forums', 'warn', 'lists = ["forums"]', 'category = "forums"', 'groups = ["teachers"]'),
    rule('poker', 'block', 'match = ["poker.example"]', 'category = "gambling"', 'groups = ["teachers"]'),
    rule('second opinion', 'block', 'lists = ["second"]', 'category = "other"', 'groups = ["teachers"]'),
    rule('games', 'block', 'lists = ["games"]', 'category = "games"'),
    rule('gambling', 'block', 'lists = ["gambling"]', 'category = "gambling"'),
    rule('social', 'warn', 'lists = ["social"]', 'category = "social networks"'),
    rule('violence', 'block', 'match = ["violence.example"]', 'category = "violence"'),
    rule(
      'videos',
      'aup',
      'match = ["videos.example"]',
      'category = "videos"',
      `override = { type = "pin", code = "${CODE}", attempts = ${ATTEMPTS}, lockout_seconds = 60 }`,
    ),
    rule('broad', 'block', 'lists = ["broad"]'),
    ...['games', 'gambling', 'social', 'forums', 'second', 'broad'].map(
      (name) => `[[lists]]\nname = "${name}"\npath = "${name}.txt"\n`,
    ),
  ].join('\n'),
  files: {
    'games.txt': GAMES.join('\n'),
    'gambling.txt': CASINOS.join('\n'),
    'social.txt': SOCIAL.join('\n'),
    'forums.txt': 'forum.example',
    // Not the last game: it is only in the list of games.
    'second.txt': [...GAMES.slice(0, -1), ...CASINOS, ...SOCIAL].join('\n'),
    'broad.txt': ['museum.example', 'forum.example', 'poker.example', ...GAMES.slice(0, 2)].join('\n'),
  },
} as const

const stop = (rule: string, verdict: SchoolStop['verdict'], category?: string, list?: string): SchoolStop => {
  return { verdict, rule, category, list }
}
const of = (hosts: readonly string[], stop: SchoolStop | undefined) => hosts.map((host): Site => ({ host, stop }))
/** With how often a pupil goes there. */
const SITES: readonly (readonly [weight: number, sites: readonly Site[]])[] = [
  [60, of(LESSON_SITES, undefined)],
  [16, of(GAMES, stop('games', 'block', 'games', 'games'))],
  [3, of(CASINOS, stop('gambling', 'block', 'gambling', 'gambling'))],
  [8, of(SOCIAL, stop('social', 'warn', 'social networks', 'social'))],
  [2, of(['violence.example'], stop('violence', 'block', 'violence'))],
  [3, of(['videos.example'], stop('videos', 'aup', 'videos'))],
  [8, of([...MUSEUM, 'forum.example', 'poker.example'], stop('broad', 'block', undefined, 'broad'))],
]
const VIDEOS = stop('videos', 'aup', 'videos')
const BUSIEST: Site = { host: 'game-03.example', stop: stop('games', 'block', 'games', 'games') }

/** In order of time. */
export function schoolMonth(seed = 2027): readonly SchoolEvent[] {
  const random = generator(seed)
  const events: SchoolEvent[] = []
  let guessers: readonly string[] = PLANTED.guessers
  let permissions = 0
  for (const day of schoolDays()) {
    for (const hour of LESSONS) {
      for (const pupil of PUPILS) events.push(...lesson(day, hour, pupil, random))
    }
    // After school, so that no lesson is different.
    if (permissions < PLANTED.permitted.times) {
      permissions++
      events.push({ kind: 'permission', at: at(day, 17), host: PLANTED.permitted.host, minutes: 30 })
    }
    const [guesser] = guessers
    if (day.dayOfWeek !== 3 || guesser === undefined) continue
    guessers = guessers.slice(1)
    const pupil = PUPILS.find(({ user }) => user === guesser) as Pupil
    const guesses = Array.from({ length: ATTEMPTS + 1 }, () => 'guesses' as const)
    events.push(request(at(day, 15), pupil, { host: 'videos.example', stop: VIDEOS }, guesses))
    events.push({ kind: 'switch', at: at(day, 16), minutes: 45 })
  }
  events.push(...planted())
  return events.sort((one, other) => one.at - other.at)
}

function lesson(day: Temporal.PlainDate, hour: number, pupil: Pupil, random: () => number): readonly SchoolRequest[] {
  return Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const site = siteFor(random)
    const minute = Math.floor(random() * 40)
    // Sessions must end before the next lesson, and open nothing in this one: these requests are the pupil's last.
    const isContinued = site.stop !== undefined && site.stop.verdict !== 'block' && random() < 0.3
    const moment = at(day, hour, isContinued ? 44 : minute) + Math.floor(random() * 60_000)
    return request(moment, pupil, site, isContinued ? ['continues'] : [])
  }).filter(({ acts }, index, all) => acts.length === 0 || all.findIndex((one) => one.acts.length > 0) === index)
}

function planted(): readonly SchoolRequest[] {
  const { busiest, changedClocks } = PLANTED
  const many = (count: number, from: number, milliseconds: number) =>
    Array.from({ length: count }, (_, index) => {
      const pupil = PUPILS[index % PUPILS.length] as Pupil
      return request(from + Math.floor((index * milliseconds) / count), pupil, BUSIEST, [])
    })
  const [day, hour] = busiest.at.split('T') as [string, string]
  const night = Temporal.PlainDate.from(changedClocks.date)
  return [
    ...many(busiest.more, at(Temporal.PlainDate.from(day), Number.parseInt(hour, 10), 10), 20 * 60_000),
    ...many(changedClocks.before, at(night, 1, 50), 5 * 60_000),
    ...many(changedClocks.after, at(night, 3, 5), 5 * 60_000),
  ]
}

interface Pupil {
  readonly user: string
  readonly client: string
  readonly group: string
}

const PUPILS: readonly Pupil[] = numbered(CLASSES, (number) => number).flatMap((number) =>
  pupilsOf(Number(number)).map((user, index) => {
    return { user, client: `10.20.${Number(number)}.${index + 10}`, group: `class-${number}` }
  }),
)

/** @param number of the class, from 1 */
function pupilsOf(number: number): readonly string[] {
  return Array.from({ length: PUPILS_OF_A_CLASS }, (_, index) => {
    return `pupil-${String((number - 1) * PUPILS_OF_A_CLASS + index + 1).padStart(3, '0')}`
  })
}

function request(at: number, pupil: Pupil, site: Site, acts: SchoolRequest['acts']): SchoolRequest {
  return { kind: 'request', at, ...pupil, ...site, acts }
}

function schoolDays(): readonly Temporal.PlainDate[] {
  const days: Temporal.PlainDate[] = []
  const until = Temporal.PlainDate.from(MONTH.until)
  for (let day = Temporal.PlainDate.from(MONTH.since); !day.equals(until); day = day.add({ days: 1 })) {
    if (day.dayOfWeek <= 5) days.push(day)
  }
  return days
}

function at(day: Temporal.PlainDate, hour: number, minute = 0): number {
  return day.toZonedDateTime({ timeZone: ZONE, plainTime: { hour, minute } }).epochMilliseconds
}

function siteFor(random: () => number): Site {
  let left = random() * SITES.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, sites] of SITES) {
    left -= weight
    if (left < 0) return sites[Math.floor(random() * sites.length)] as Site
  }
  throw new Error('the weights are their sum')
}

/** Numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
