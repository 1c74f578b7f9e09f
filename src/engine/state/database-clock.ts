// The database's clock, so that engines whose clocks differ agree about what has expired. SQLite has no other clock than
// that of its process.
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { Clock } from '../clock.ts'

export interface DatabaseClock {
  /** For statements: milliseconds since the Unix epoch, the same throughout a transaction on PostgreSQL. */
  now(): RawBuilder<number>
  /** The same for the process, as far as known. */
  readonly current: Clock
  /** The database's time when the clock of the process shows this. */
  of(at: number): number
  /** @param milliseconds by the database, read just now */
  set(milliseconds: number): void
}

export function createDatabaseClock(dialect: DatabaseLocation['dialect'], clock: Clock): DatabaseClock {
  let ahead = 0
  return {
    now: () =>
      dialect === 'sqlite'
        ? // Numbers are bound as floating point.
          sql<number>`cast(${Math.floor(clock())} as integer)`
        : sql<number>`cast(extract(epoch from now()) * 1000 as bigint)`,
    current: () => clock() + ahead,
    of: (at) => at + ahead,
    set(milliseconds) {
      if (dialect === 'postgres') ahead = milliseconds - clock()
    },
  }
}

/** For statements: the time this many milliseconds later. */
export function after(time: RawBuilder<number>, milliseconds: number): RawBuilder<number> {
  return sql<number>`${time} + cast(${milliseconds} as bigint)`
}
