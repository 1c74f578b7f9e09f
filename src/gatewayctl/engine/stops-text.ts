// Stopped requests as a table that grows: later rows are aligned with the earlier ones.
import type { ListedStop } from '../../contract/administration.ts'
import { groupedReference } from '../../contract/reference.ts'
import type { Context } from '../context.ts'
import { createLocalTime } from '../local-time.ts'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

const COLUMNS = ['at', 'verdict', 'rule', 'host', 'client', 'user', 'reference'] as const
type Column = (typeof COLUMNS)[number]

export interface StopPrinter {
  /** The heading comes with the first rows. */
  print(stops: readonly ListedStop[]): void
}

export function createStopPrinter(context: Context): StopPrinter {
  const time = createLocalTime(context)
  const widths = new Map<Column, number>()
  let hasHeading = false
  let shown: ListedStop | undefined

  /** The last column needs no padding. */
  function aligned(row: Readonly<Record<Column, unknown>>): Record<Column, string> {
    const cells = COLUMNS.map((column) => {
      const text = printable(row[column] ?? '-')
      if (column === 'reference') return [column, text]
      const width = Math.max(widths.get(column) ?? 0, [...text].length)
      widths.set(column, width)
      return [column, text + ' '.repeat(width - [...text].length)]
    })
    return Object.fromEntries(cells)
  }

  /** A page that was shown with the row above it is not repeated. */
  function pageOf(stop: ListedStop): readonly string[] {
    const { same_page: others } = stop
    const known = new Set(shown === undefined || !isSamePerson(shown, stop) ? [] : hostsOf(shown))
    if (others.every((host) => known.has(host))) return []
    shown = stop
    return [`  same page: ${others.map(printable).join(', ')}`]
  }

  return {
    print(stops) {
      if (stops.length === 0) return
      const rows = stops.map((stop) => {
        const { at, reference } = stop
        return aligned({ ...stop, at: time(at, 'second'), reference: groupedReference(reference) })
      })
      const [heading = '', ...lines] = table(context, COLUMNS, rows).trimEnd().split('\n')
      const below = lines.flatMap((line, at) => [line, ...pageOf(stops[at] as ListedStop)])
      context.stdout.write(`${[...(hasHeading ? [] : [heading]), ...below].join('\n')}\n`)
      hasHeading = true
    },
  }
}

function hostsOf({ host, same_page: others }: ListedStop): readonly string[] {
  return host === null ? others : [host, ...others]
}

function isSamePerson(one: ListedStop, other: ListedStop): boolean {
  return one.client === other.client && one.user === other.user
}
