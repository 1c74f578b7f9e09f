// What a report about a school's month must say, counted from its events without a database.
import { type SchoolEvent, type SchoolRequest, type SchoolStop, ZONE } from './school-month.ts'

export interface SchoolTruth {
  readonly requests: { readonly block: number; readonly warn: number; readonly aup: number; readonly allow: number }
  /** Stopped requests by each of these. The key of what has none is null. */
  readonly byDay: ReadonlyMap<string, number>
  /** `2 10`: Tuesday at ten o'clock. */
  readonly byWeekdayAndHour: ReadonlyMap<string, number>
  readonly byCategory: ReadonlyMap<string | null, number>
  readonly byRule: ReadonlyMap<string, number>
  readonly byList: ReadonlyMap<string | null, number>
  readonly byHost: ReadonlyMap<string, number>
  readonly byUser: ReadonlyMap<string, number>
  readonly byClient: ReadonlyMap<string, number>
  readonly byGroup: ReadonlyMap<string, number>
  /** Acknowledgements by rule. */
  readonly acceptedBy: ReadonlyMap<string, number>
  /** Also the one that began a lockout. */
  readonly wrongCodes: number
  readonly lockouts: number
  readonly permissions: ReadonlyMap<string, number>
  readonly switchedOn: number
}

type Stopped = SchoolRequest & { readonly stop: SchoolStop }

/** @param attempts wrong codes that begin a lockout; what is entered during it is not counted */
export function schoolTruth(events: readonly SchoolEvent[], attempts = 5): SchoolTruth {
  const requests = events.filter((event) => event.kind === 'request')
  const stopped = requests.filter((one): one is Stopped => one.stop !== undefined)
  const count = (verdict: SchoolStop['verdict']) => stopped.filter(({ stop }) => stop.verdict === verdict).length
  const local = ({ at }: Stopped) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(ZONE)
  const guesses = stopped.map(({ acts }) => Math.min(attempts, acts.filter((act) => act === 'guesses').length))
  const permissions = events.filter((event) => event.kind === 'permission')
  return {
    requests: {
      block: count('block'),
      warn: count('warn'),
      aup: count('aup'),
      allow: requests.length - stopped.length,
    },
    byDay: counted(stopped, (one) => local(one).toPlainDate().toString()),
    byWeekdayAndHour: counted(stopped, (one) => `${local(one).dayOfWeek} ${local(one).hour}`),
    byCategory: counted(stopped, ({ stop }) => stop.category ?? null),
    byRule: counted(stopped, ({ stop }) => stop.rule),
    byList: counted(stopped, ({ stop }) => stop.list ?? null),
    byHost: counted(stopped, ({ host }) => host),
    byUser: counted(stopped, ({ user }) => user),
    byClient: counted(stopped, ({ client }) => client),
    byGroup: counted(stopped, ({ group }) => group),
    acceptedBy: counted(
      stopped.filter(({ acts }) => acts.includes('continues')),
      ({ stop }) => stop.rule,
    ),
    wrongCodes: guesses.reduce((sum, some) => sum + some, 0),
    lockouts: guesses.filter((some) => some === attempts).length,
    permissions: counted(permissions, ({ host }) => host),
    switchedOn: events.filter(({ kind }) => kind === 'switch').length,
  }
}

function counted<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
