// The report as CSV: one line for each number, for a spreadsheet's pivot table.
import type { Report } from '../../contract/report.ts'
import { csvLine } from '../portal/acceptances/csv.ts'

/** `figure` says what `value` counts; the columns between them are empty where they do not apply. */
const COLUMNS = [
  'figure',
  'date',
  'weekday',
  'hour',
  'verdict',
  'rule',
  'category',
  'list',
  'host',
  'name',
  'value',
] as const

type Line = { readonly [Column in (typeof COLUMNS)[number]]?: string | number | null }

const VERDICTS = ['block', 'warn', 'aup', 'allow'] as const
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

export function reportCsv(report: Report): string {
  return [COLUMNS, ...linesOf(report).map((line) => COLUMNS.map((column) => line[column]))].map(csvLine).join('')
}

function linesOf(report: Report): readonly Line[] {
  const { requests, days, week, acknowledgements, permissions, over_blocking: overBlocking, people } = report
  return [
    ...VERDICTS.map((verdict) => ({ figure: 'requests', verdict, value: requests[verdict] })),
    ...days.flatMap((day) =>
      VERDICTS.map((verdict) => ({ figure: 'day', date: day.date, verdict, value: day[verdict] })),
    ),
    ...week.flatMap((hours, weekday) =>
      hours.map((value, hour) => ({ figure: 'week', weekday: WEEKDAYS[weekday] ?? '', hour, value })),
    ),
    ...report.categories.top.map(({ name, requests }) => ({ figure: 'category', category: name, value: requests })),
    ...others('category', report.categories.others),
    ...report.rules.top.map(({ name, category, requests }) => ({
      figure: 'rule',
      rule: name,
      category,
      value: requests,
    })),
    ...others('rule', report.rules.others),
    ...report.lists.top.map(({ name, requests }) => ({ figure: 'list', list: name, value: requests })),
    ...others('list', report.lists.others),
    ...report.hosts.map(({ requests, ...host }) => ({ figure: 'host', ...host, value: requests })),
    { figure: 'acknowledgements', value: acknowledgements.accepted },
    { figure: 'wrong codes', value: acknowledgements.rejected },
    { figure: 'lockouts', value: acknowledgements.locked_out },
    ...acknowledgements.rules.flatMap(({ rule, accepted, rejected, locked_out: lockedOut }) => [
      { figure: 'acknowledgements of rule', rule, value: accepted },
      { figure: 'wrong codes of rule', rule, value: rejected },
      { figure: 'lockouts of rule', rule, value: lockedOut },
    ]),
    { figure: 'lesson codes', value: report.lesson_codes },
    { figure: 'permissions', value: permissions.granted },
    ...permissions.hosts.flatMap(({ host, granted, stopped }) => [
      { figure: 'permissions of host', host, value: granted },
      { figure: 'stopped of permitted host', host, value: stopped },
    ]),
    ...report.switches.flatMap(({ switch: name, on, off }) => [
      { figure: 'switch on', name, value: on },
      { figure: 'switch off', name, value: off },
    ]),
    ...overBlocking.causes.flatMap(({ stopped, permissions, acknowledgements, ...cause }) => [
      { figure: 'stopped by cause', ...cause, value: stopped },
      { figure: 'permissions by cause', ...cause, value: permissions },
      { figure: 'acknowledgements by cause', ...cause, value: acknowledgements },
    ]),
    ...overBlocking.lists.flatMap(({ list, stopped, asked, alone, hosts }) => [
      { figure: 'stopped by list', list, value: stopped },
      { figure: 'checked of list', list, value: asked },
      { figure: 'only in list', list, value: alone },
      ...hosts.map(({ host, requests }) => ({ figure: 'host only in list', list, host, value: requests })),
    ]),
    ...(people === null ? [] : peopleLines(people)),
  ]
}

function others(figure: string, { entries, requests }: Report['lists']['others']): readonly Line[] {
  return entries === 0 ? [] : [{ figure: `other of ${figure}`, name: `${entries} others`, value: requests }]
}

function peopleLines({ users, clients, groups }: NonNullable<Report['people']>): readonly Line[] {
  return [
    ...users.map(({ name, requests }) => ({ figure: 'user', name, value: requests })),
    ...clients.map(({ name, requests }) => ({ figure: 'client', name, value: requests })),
    ...groups.map(({ name, requests }) => ({ figure: 'group', name, value: requests })),
  ]
}
