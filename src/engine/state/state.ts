// What the engine stores: sessions, attempts at codes, redemptions, temporary permissions, reported users, switches, lesson codes,
// and URLs that are too long for a payload. Decisions read the memory; the database is authoritative, and the memory of every
// engine is synced with it within a second.
import type { Durability, Storage } from '../../database/durability.ts'
import type { Transactions } from '../../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import type { LessonCodeState } from './lesson-codes.ts'
import type { LongUrls } from './long-urls.ts'
import type { StatePeople } from './people.ts'
import type { Permissions } from './permissions.ts'
import type { Presences } from './presences.ts'
import type { StateTables } from './schema.ts'
import type { Redemptions } from './sessions/redemptions.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { SwitchState } from './switches.ts'

const TO_KEEP_THEM = 'to keep them, set [state] url to an SQLite file on a volume or to a postgresql:// URL'
const MEMORY_BACKED = `the engine's state is memory-backed: sessions and lockouts are lost with the container (on a host, with its next start); ${TO_KEEP_THEM}`
const IN_TEMPORARY_FOLDER = `the engine's state is in a folder for temporary files: sessions and lockouts are lost when the system empties it; ${TO_KEEP_THEM}`

/** The engine's warning at the start; undefined if sessions are kept. */
export function storageNotice({ memoryBacked, inTemporaryFolder }: Storage): string | undefined {
  if (memoryBacked) return MEMORY_BACKED
  return inTemporaryFolder ? IN_TEMPORARY_FOLDER : undefined
}

/**
 * Unless stated otherwise, asynchronous methods take at most about 2.5 s, 4 s under overload, and reject with
 * StateUnavailable only.
 */
export interface EngineState
  extends Sessions,
    Redemptions,
    Attempts,
    Permissions,
    Presences,
    SwitchState,
    LessonCodeState,
    StatePeople,
    LongUrls {
  readonly durability: Durability
  /** For the journal, whose events are here. */
  readonly transactions: Pick<Transactions<StateTables>, 'run' | 'read'>
  /** Whether the database responded when the memory was last synced with it. */
  readonly isUp: boolean
  /** Why nothing can be written; undefined if it can. Writes at most every ten seconds. Never rejects. */
  writeFault(): Promise<string | undefined>
  /** Of all engines. */
  counts(): Promise<{ readonly sessions: number; readonly lockouts: number }>
  /** Events that this process has not recorded, because there were too many: see `Events`. */
  readonly lostEvents: number
  /** Resolves when the memory has everything that was committed before the call. */
  sync(): Promise<void>
  /** Deletes what has expired; happens every minute as well. */
  prune(): Promise<void>
  /** Waits for transactions in progress; later calls reject. */
  close(): Promise<void>
}
