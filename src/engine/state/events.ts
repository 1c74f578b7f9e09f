// What visitors and administrators did, as rows for the journal: each is committed with its action. A journal that is full costs
// rows, never an acknowledgement.
import { createHash, randomUUIDv7 } from 'node:crypto'
import type { Insertable, Transaction } from 'kysely'
import type { Logger } from 'pino'
import type { JournalSettings } from '../journal/journal.ts'
import type { Identity } from '../request/decision-request.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { RowLimits } from './row-limits.ts'
import type { StateTables } from './schema.ts'

export interface Events {
  /** What administrators do is always recorded: their token bounds it. */
  administered(transaction: Transaction<StateTables>, events: readonly AdministrationEvent[]): Promise<void>
  /** Before the code is compared, so that it is recorded as wrong if the engine ends then. A repeated one is recorded once. */
  attempted(transaction: Transaction<StateTables>, attempt: AttemptEvent): Promise<void>
  /** The first redemption of a verdict. The attempt with its code is recorded as this. */
  accepted(transaction: Transaction<StateTables>, acceptance: AcceptanceEvent): Promise<void>
  /** A later redemption: a right code is no event then. */
  repeated(transaction: Transaction<StateTables>, acknowledgement: AcknowledgementEvent): Promise<void>
  /** Rows of this process that were not written because there were too many. */
  readonly lost: number
}

type Row = Insertable<StateTables['engine_event']>
export type AdministrationEvent = Pick<Row, 'event'> & Partial<Omit<Row, 'id' | 'at'>>

/** What the journal keeps of a verdict beyond what the state does. */
export interface AboutVerdict {
  readonly host?: string | undefined
  /** The first group of the policy that has the user. */
  readonly group?: string | undefined
}

interface AcknowledgementEvent extends AboutVerdict {
  readonly reference: string
  readonly rule: string
  readonly identity: Identity
  /** Undefined without a code. */
  readonly attempt: CountedAttempt | undefined
}

export interface CountedAttempt {
  /** By the database's clock. */
  readonly countedAt: number
  /** Keyed: it says nothing of the code. */
  readonly fingerprint: string
}

interface AttemptEvent extends AcknowledgementEvent {
  readonly attempt: CountedAttempt
  /** Attempts that remain. */
  readonly left: number
}

interface AcceptanceEvent extends AcknowledgementEvent {
  readonly lessonCode: string | undefined
  /** Of the session. */
  readonly expiresAt: number
}

export interface EventOptions {
  readonly clock: DatabaseClock
  readonly rowLimits: RowLimits
  readonly journal: Pick<JournalSettings, 'days' | 'hosts'>
  readonly log: Pick<Logger, 'warn'>
}

/** About 300 bytes each, with their indexes. */
export const MAXIMUM_EVENTS = 500_000
/** Rows of one statement: databases limit how many values it may have. */
const BATCH = 500
const FULL =
  'the journal has its maximum of events: acknowledgements work, but are not in it until old events are deleted (journal.days)'

export function createEvents({ clock, rowLimits, journal: { days, hosts }, log }: EventOptions): Events {
  if (days === 0) return { ...NONE }
  let lost = 0

  /** Visitors can cause these rows. Refused codes leave half of the room to the rest. */
  function hasRoom(isRefused: boolean): boolean {
    const room = rowLimits.room('events') - (isRefused ? rowLimits.capacity.events / 2 : 0)
    if (room > 0) return true
    if (lost === 0) log.warn(FULL)
    lost += 1
    return false
  }

  function acknowledgementRow({ reference, rule, identity, host, group }: AcknowledgementEvent) {
    return {
      event: 'acknowledgement',
      reference,
      rule_name: rule,
      host: hosts ? (host ?? null) : null,
      client: identity.client.address,
      user_name: identity.user ?? null,
      group_name: group ?? null,
    }
  }

  return {
    async administered(transaction, events) {
      for (let at = 0; at < events.length; at += BATCH) {
        const rows = events.slice(at, at + BATCH).map((one) => ({ ...one, id: randomUUIDv7(), at: clock.now() }))
        await transaction.insertInto('engine_event').values(rows).execute()
        rowLimits.added('events', rows.length)
      }
    },
    async attempted(transaction, { left, ...acknowledgement }) {
      if (!hasRoom(true)) return
      const { reference, attempt } = acknowledgement
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('engine_event')
        .values({
          ...acknowledgementRow(acknowledgement),
          id: attemptId(reference, attempt),
          at: attempt.countedAt,
          outcome: left > 0 ? 'code rejected' : 'locked out',
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow()
      rowLimits.added('events', Number(numInsertedOrUpdatedRows ?? 0))
    },
    async accepted(transaction, acceptance) {
      const { reference, attempt, lessonCode = null, expiresAt } = acceptance
      const next = { outcome: 'accepted', lesson_code: lessonCode, expires_at: expiresAt }
      if (attempt !== undefined) {
        const { numUpdatedRows } = await transaction
          .updateTable('engine_event')
          .set(next)
          .where('id', '=', attemptId(reference, attempt))
          .executeTakeFirstOrThrow()
        if (numUpdatedRows > 0n) return
      }
      if (!hasRoom(false)) return
      const row = { ...acknowledgementRow(acceptance), id: randomUUIDv7(), at: clock.now(), ...next }
      await transaction.insertInto('engine_event').values(row).execute()
      rowLimits.added('events', 1)
    },
    async repeated(transaction, { reference, attempt }) {
      if (attempt === undefined) return
      await transaction
        .deleteFrom('engine_event')
        .where('id', '=', attemptId(reference, attempt))
        // What was accepted with this attempt, and is requested again.
        .where('outcome', '!=', 'accepted')
        .execute()
    },
    get lost() {
      return lost
    },
  }
}

const NONE: Events = {
  async administered() {},
  async attempted() {},
  async accepted() {},
  async repeated() {},
  lost: 0,
}

/** Of a UUIDv7's form, the same for the same attempt, whichever engine gets it. */
function attemptId(reference: string, { countedAt, fingerprint }: CountedAttempt): string {
  const time = countedAt.toString(16).padStart(12, '0')
  const digest = createHash('sha256').update(`${reference} ${countedAt} ${fingerprint}`).digest('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digest.slice(0, 3)}-8${digest.slice(3, 6)}-${digest.slice(6, 18)}`
}
