// A report as an engine returns it, for tests of what `gatewayctl report` prints.
import type { Report } from '../../../src/contract/report.ts'

const NONE = { block: 0, warn: 0, aup: 0, allow: 0 }

/** Nothing happened. @param days of the period, which begins on 2026-11-01 */
export function emptyReport(days = 7): Report {
  const since = Temporal.PlainDate.from('2026-11-01')
  return {
    time: '2026-11-27T13:37:00Z',
    period: {
      since: '2026-10-31T23:00:00Z',
      until: since.add({ days }).toZonedDateTime('Europe/Zurich').toInstant().toString(),
      timezone: 'Europe/Zurich',
    },
    journal: { days: 60, person_days: 3, hosts: true },
    requests: NONE,
    days: Array.from({ length: days }, (_, at) => ({ date: since.add({ days: at }).toString(), hours: 24, ...NONE })),
    week: Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0)),
    busiest: null,
    categories: { top: [], others: { entries: 0, requests: 0 } },
    rules: { top: [], others: { entries: 0, requests: 0 } },
    lists: { top: [], others: { entries: 0, requests: 0 } },
    hosts: [],
    acknowledgements: { accepted: 0, rejected: 0, locked_out: 0, rules: [] },
    lesson_codes: 0,
    permissions: { granted: 0, hosts: [] },
    switches: [],
    over_blocking: { causes: [], lists: [], cut: false },
    people: null,
  }
}

/** Something of everything. @param name replaces every name that comes from outside */
export function fullReport({ days = 7, name = (own: string) => own, rules = 3 } = {}): Report {
  const empty = emptyReport(days)
  const schoolDays = empty.days.map((day, at) => {
    const isFree = Temporal.PlainDate.from(day.date).dayOfWeek > 5
    return isFree
      ? day
      : { ...day, block: 1_200 + 37 * (at % 11), warn: 240 + 13 * (at % 7), aup: 90 + at, allow: 52_000 }
  })
  const sum = (key: 'block' | 'warn' | 'aup' | 'allow') => schoolDays.reduce((sum, day) => sum + day[key], 0)
  const requests = { block: sum('block'), warn: sum('warn'), aup: sum('aup'), allow: sum('allow') }
  const stopped = requests.block + requests.warn + requests.aup
  const part = (share: number) => Math.round(stopped * share)
  return {
    ...empty,
    requests,
    days: schoolDays,
    week: empty.week.map((hours, day) =>
      hours.map((_, hour) => (day < 5 && hour >= 7 && hour < 18 ? part(0.01) + ((day * 7 + hour * 13) % 41) * 3 : 0)),
    ),
    busiest: { hour: '2026-11-03T09:00:00Z', stopped: part(0.03) },
    categories: {
      top: [
        { name: name('games'), requests: part(0.5) },
        { name: name('social networks'), requests: part(0.2) },
        { name: null, requests: part(0.1) },
      ],
      others: { entries: 2, requests: part(0.2) },
    },
    rules: {
      top: Array.from({ length: rules }, (_, at) => {
        const share = 0.5 / (at + 1)
        return { name: name(at === 0 ? 'games' : `rule ${at}`), category: name('games'), requests: part(share) }
      }),
      others: { entries: 480, requests: 312 },
    },
    lists: {
      top: [
        { name: name('ut1-games'), requests: part(0.4) },
        { name: null, requests: part(0.3) },
        { name: name('ut1-agressif'), requests: part(0.01) },
      ],
      others: { entries: 0, requests: 0 },
    },
    hosts: [
      { host: name('play.games.example'), rule: name('games'), list: name('ut1-games'), requests: part(0.2) },
      { host: name('social.example'), rule: name('social'), list: null, requests: part(0.1) },
    ],
    acknowledgements: {
      accepted: 421,
      rejected: 17,
      locked_out: 2,
      rules: [
        { rule: name('social'), accepted: 400, rejected: 0, locked_out: 0 },
        { rule: name('videos'), accepted: 21, rejected: 17, locked_out: 2 },
      ],
    },
    lesson_codes: 4,
    permissions: { granted: 12, hosts: [{ host: name('.museum.example'), granted: 12, stopped: 310 }] },
    switches: [{ switch: name('exam'), on: 5, off: 2 }],
    over_blocking: {
      cut: false,
      causes: [
        {
          rule: name('broad'),
          category: null,
          list: name('broad list'),
          stopped: 900,
          permissions: 12,
          acknowledgements: 0,
        },
        {
          rule: name('social'),
          category: name('social'),
          list: null,
          stopped: 1300,
          permissions: 0,
          acknowledgements: 400,
        },
        { rule: null, category: null, list: null, stopped: 0, permissions: 1, acknowledgements: 0 },
      ],
      lists: [
        {
          ...{ list: name('broad list'), stopped: 900, asked: 880, alone: 700 },
          hosts: [
            { host: name('museum.example'), requests: 400 },
            { host: name('pictures.museum.example'), requests: 300 },
          ],
        },
        { list: name('removed list'), stopped: 5, asked: 5, alone: null, hosts: [] },
      ],
    },
  }
}

/** With people. */
export function withPeople(report: Report, name = (own: string) => own): Report {
  return {
    ...report,
    people: {
      users: [
        { name: name('anna'), pseudonym: false, requests: 120 },
        { name: '~Zm9vYmFyYmF6cXV4MTIzNA', pseudonym: true, requests: 80 },
      ],
      clients: [{ name: '10.20.1.15', pseudonym: false, requests: 120 }],
      groups: [{ name: name('class-1'), requests: 900 }],
    },
  }
}
