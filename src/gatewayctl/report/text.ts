// The report as tables for a terminal.
import type { Report } from '../../contract/report.ts'
import type { Context } from '../context.ts'
import { localDateTime } from '../local-time.ts'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { createFormats } from './page/formats.ts'
import { en } from './page/i18n/en.ts'
import { missingInCauses } from './page/missing.ts'

type Rows = readonly Readonly<Record<string, unknown>>[]

export function reportText(context: Context, report: Report): string {
  const { period, requests, acknowledgements, permissions, over_blocking: overBlocking, people } = report
  const stopped = requests.block + requests.warn + requests.aup
  const hour = (time: string) => {
    const local = localDateTime(time, period.timezone)?.toString({ smallestUnit: 'minute' })
    return printable(local?.replace('T', ' ') ?? time)
  }
  const part = (heading: string, columns: readonly string[], rows: Rows) =>
    rows.length === 0 ? '' : `\n${heading}\n${table(context, columns, rows)}`
  const ranked = (heading: string, column: string, { top, others }: Report['lists']) =>
    part(
      heading,
      ['requests', column],
      [
        ...top.map(({ name, requests }) => ({ requests, [column]: name })),
        ...(others.entries > 0 ? [{ requests: others.requests, [column]: `(${others.entries} others)` }] : []),
      ],
    )
  return [
    `From ${hour(period.since)} to ${hour(period.until)}; time zone: ${printable(period.timezone)}\n`,
    part(
      'Totals',
      ['number', 'of'],
      [
        {
          number: stopped,
          of: `stopped requests: ${requests.block} blocked, ${requests.warn} warned, ${requests.aup} policy`,
        },
        { number: requests.allow, of: 'allowed requests, as far as the engine was asked' },
        { number: acknowledgements.accepted, of: 'acknowledgements' },
        { number: acknowledgements.rejected, of: 'wrong codes' },
        { number: acknowledgements.locked_out, of: 'lockouts' },
        { number: permissions.granted, of: 'permissions granted' },
        { number: report.lesson_codes, of: 'lesson codes' },
      ],
    ),
    part(
      'Days',
      ['day', 'stopped', 'blocked', 'warned', 'policy', 'allowed'],
      stopped === 0
        ? []
        : report.days.map(({ date, block, warn, aup, allow }) => {
            return { day: date, stopped: block + warn + aup, blocked: block, warned: warn, policy: aup, allowed: allow }
          }),
    ),
    report.busiest === null
      ? ''
      : `\nThe busiest hour began at ${hour(report.busiest.hour)}: ${report.busiest.stopped} stopped.\n`,
    ranked('Categories', 'category', report.categories),
    part(
      'Rules',
      ['requests', 'rule', 'category'],
      [
        ...report.rules.top.map(({ name, category, requests }) => ({ requests, rule: name, category })),
        ...(report.rules.others.entries > 0
          ? [{ requests: report.rules.others.requests, rule: `(${report.rules.others.entries} others)`, category: '' }]
          : []),
      ],
    ),
    ranked('Lists', 'list', report.lists),
    part('Hosts', ['requests', 'rule', 'list', 'host'], report.hosts),
    part(
      'Acknowledgements',
      ['continued', 'wrong_codes', 'lockouts', 'rule'],
      acknowledgements.rules.map((one) => {
        return { continued: one.accepted, wrong_codes: one.rejected, lockouts: one.locked_out, rule: one.rule }
      }),
    ),
    part('Permissions', ['granted', 'stopped', 'host'], permissions.hosts),
    part('Switches', ['on', 'off', 'switch'], report.switches),
    part(
      'What may stop too much: rules and lists that people had to get past',
      ['permissions', 'continued', 'stopped', 'rule', 'list'],
      overBlocking.causes.map(({ acknowledgements, ...cause }) => ({ ...cause, continued: acknowledgements })),
    ),
    ...missingInCauses(report, en, createFormats('en', period.timezone)).map((text) => `${text}\n`),
    part(
      'Lists to doubt first: requests for hosts that nothing else names',
      ['only_here', 'of', 'list', 'hosts'],
      overBlocking.lists.map(({ alone, asked, list, hosts }) => {
        return {
          only_here: alone,
          of: asked,
          list,
          hosts: hosts
            .slice(0, 3)
            .map(({ host }) => host)
            .join(', '),
        }
      }),
    ),
    ...(people === null
      ? []
      : [
          part(
            'Users',
            ['requests', 'user'],
            people.users.map(({ name, requests }) => ({ requests, user: name })),
          ),
          part(
            'Clients',
            ['requests', 'client'],
            people.clients.map(({ name, requests }) => ({ requests, client: name })),
          ),
          part(
            'Groups',
            ['requests', 'group'],
            people.groups.map(({ name, requests }) => ({ requests, group: name })),
          ),
        ]),
  ].join('')
}
