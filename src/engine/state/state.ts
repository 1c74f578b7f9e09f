// What the engine stores: sessions, attempts at codes, redemptions, temporary permissions, and URLs that are too long for a
// payload. Decisions read the memory; the database is authoritative, and every engine follows it within a second.
import type { Durability, Storage } from '../../database/durability.ts'
import type { Identity } from '../request/decision-request.ts'
import type { LockoutRecord, SessionRecord, StateFilter } from './administration.ts'
import type { AttemptLimits, Reservation } from './attempts.ts'
import type { LongUrl } from './long-urls.ts'
import type { NewPermission, Permission } from './permissions.ts'

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
export interface EngineState {
  readonly durability: Durability
  /** Whether the database responded when it was last followed. */
  readonly isUp: boolean
  /** Why nothing can be written; undefined if it can. Writes at most every ten seconds. Never rejects. */
  writeFault(): Promise<string | undefined>
  /** From memory, at most 1 s behind the database. */
  hasSession(rule: string, identity: Identity): boolean
  /** Queries the database; false after 200 ms or without a database. Never rejects. */
  findSession(rule: string, identity: Identity): Promise<boolean>
  /** The temporary permission that opens this host, from memory. */
  permissionFor(host: string): Permission | undefined
  /** Counts an attempt; to be called before its code is compared. The same one within five seconds counts once. */
  reserveAttempt(attempt: NewAttempt): Promise<Reservation>
  /** The first redemption of a verdict mints a session, a later one nothing; a code that was right resets the attempts, or takes back its own. */
  redeem(redemption: NewRedemption): Promise<{ readonly repeated: boolean }>
  /** Stores a URL in the background, if there is room for it. */
  rememberUrl(url: LongUrl): void
  /** Never rejects; undefined without a database, too. */
  findUrl(digest: string): Promise<string | undefined>
  /** The newest first. */
  sessions(filter: StateFilter, most: number): Promise<readonly SessionRecord[]>
  /** @returns their number; other engines follow within a second */
  endSessions(filter: StateFilter): Promise<number>
  lockouts(filter: StateFilter, most: number): Promise<readonly LockoutRecord[]>
  /** Forgets attempts. @returns the number of counts */
  endLockouts(filter: StateFilter): Promise<number>
  permissions(): Promise<readonly Permission[]>
  /** @returns undefined if there are 10,000 already */
  permit(permission: NewPermission): Promise<Permission | undefined>
  /** @returns false if there is no such permission */
  revoke(id: string): Promise<boolean>
  /** Of all engines. */
  counts(): Promise<{ readonly sessions: number; readonly lockouts: number }>
  /** Resolves when the memory has everything that was committed before the call. */
  follow(): Promise<void>
  /** Deletes what has expired; happens every minute as well. */
  prune(): Promise<void>
  /** Waits for transactions in progress; later calls reject. */
  close(): Promise<void>
}

export interface NewAttempt {
  readonly rule: string
  readonly identity: Identity
  /** The verdict's id. */
  readonly reference: string
  /** As the visitor entered it; stored as a keyed hash only. */
  readonly code: string
  readonly limits: AttemptLimits
}

export interface NewRedemption {
  /** The verdict's id. */
  readonly reference: string
  readonly rule: string
  readonly identity: Identity
  readonly sessionMs: number
  /** For how long the verdict can still be redeemed. */
  readonly redeemableMs: number
  /** The code that was right; undefined for a rule without codes. */
  readonly rightCode: RightCode | undefined
}

export interface RightCode {
  readonly code: string
  /** Whether the rule has others, too. Who has one of them could otherwise guess the others, and reset the count in between. */
  readonly isOneOfSeveral: boolean
  readonly lockoutMs: number
}
