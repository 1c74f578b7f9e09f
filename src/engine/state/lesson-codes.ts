// Lesson codes: each opens one rule for a time. Only a keyed hash of them is stored. All of them are in memory.
import { createHmac, randomUUIDv7, timingSafeEqual } from 'node:crypto'
import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import type { LessonCode, LessonCodes } from '../verdict/lesson-code.ts'
import { after, type DatabaseClock } from './database-clock.ts'
import type { AdministrationEvent } from './events.ts'
import type { StateKeys } from './key-file.ts'
import { nextRevision } from './revision.ts'
import type { StateTables } from './schema.ts'
import type { SessionMemory } from './sessions/session-memory.ts'
import type { StateDatabase } from './state-database.ts'

export interface LessonCodeState {
  /** From memory. */
  readonly lessonCodes: LessonCodes
  /** The earliest expiry first. */
  lessonCodesInForce(): Promise<readonly LessonCode[]>
  /** @returns why not: the rule has this code already, or too many */
  addLessonCode(code: NewLessonCode): Promise<LessonCode | 'exists' | 'full'>
  /** Ends the code, and the sessions that it opened. @returns undefined if there is no such code */
  endLessonCode(id: string): Promise<LessonCode | undefined>
}

interface NewLessonCode extends Pick<LessonCode, 'rule' | 'format' | 'by'> {
  readonly code: string
  readonly milliseconds: number
}

interface StoredCode extends LessonCode {
  readonly hash: Buffer
}

export interface LessonCodeMemory extends LessonCodes {
  replace(codes: readonly StoredCode[]): void
}

/** Of one rule: each further one makes a guess more likely to be right. */
const MAXIMUM = 100

/** @param syncSoon see `SessionSync` */
export function createLessonCodes(
  { transactions, clock, events, keys }: Pick<StateDatabase, 'transactions' | 'clock' | 'events' | 'keys'>,
  memory: LessonCodeMemory,
  sessions: SessionMemory,
  syncSoon: () => Promise<void>,
): LessonCodeState {
  return {
    lessonCodes: memory,
    lessonCodesInForce: () =>
      transactions.read('list lesson codes', (transaction) => readLessonCodes(transaction, clock.now())),
    async addLessonCode(code) {
      const added = await transactions.run('add a lesson code', async (transaction) => {
        await nextRevision(transaction)
        const added = await insertLessonCode(transaction, clock.now(), keys, code)
        if (typeof added !== 'string') await events.administered(transaction, [eventOf('code.created', added)])
        return added
      })
      await syncSoon()
      return added
    },
    async endLessonCode(id) {
      const { code, ended } = await transactions.run('end a lesson code', async (transaction) => {
        const revision = await nextRevision(transaction)
        const code = await transaction
          .deleteFrom('engine_lesson_code')
          .where('id', '=', id)
          .where('expires_at', '>', clock.now())
          .returningAll()
          .executeTakeFirst()
        const ended = await transaction
          .updateTable('engine_session')
          .set({ expires_at: sql<number>`-(${clock.now()})`, revision })
          .where('expires_at', '>', clock.now())
          .where('lesson_code', '=', id)
          .returning(['holder', 'rule_name', 'expires_at'])
          .execute()
        if (code !== undefined) {
          const event = { ...eventOf('code.ended', toLessonCode(code)), ended: ended.length }
          await events.administered(transaction, [event])
        }
        return { code, ended }
      })
      sessions.apply(ended)
      await syncSoon()
      return code && toLessonCode(code)
    },
  }
}

export function createLessonCodeMemory(
  clock: Pick<DatabaseClock, 'of'>,
  { lessonCodes: keys }: Pick<StateKeys, 'lessonCodes'>,
): LessonCodeMemory {
  let byRule = new Map<string, StoredCode[]>()
  function inForce(rule: string, format: number, at: number): readonly StoredCode[] {
    const now = clock.of(at)
    return (byRule.get(rule) ?? []).filter((one) => one.format === format && one.expiresAt > now)
  }
  return {
    inForce,
    longestMs: (rule, format, at) =>
      inForce(rule, format, at).reduce((longest, { expiresAt }) => Math.max(longest, expiresAt - clock.of(at)), 0),
    find(rule, format, code, at) {
      let found: LessonCode | undefined
      // The duration does not depend on which one it is.
      for (const key of keys) {
        const hash = hashOf(key, rule, code)
        for (const one of inForce(rule, format, at)) if (timingSafeEqual(one.hash, hash)) found = one
      }
      return found
    },
    replace(codes) {
      byRule = Map.groupBy(codes, ({ rule }) => rule)
    },
  }
}

export async function readLessonCodes(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
): Promise<readonly StoredCode[]> {
  const rows = await transaction
    .selectFrom('engine_lesson_code')
    .selectAll()
    .where('expires_at', '>', now)
    .orderBy('expires_at')
    .execute()
  return rows.map(toLessonCode)
}

/**
 * Keeps the code from being ended until the transaction is committed.
 * @returns when it expires, by the database's clock; undefined if it has ended
 */
export async function holdLessonCode(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  id: string,
): Promise<number | undefined> {
  const held = await transaction
    .updateTable('engine_lesson_code')
    .set({ expires_at: sql<number>`expires_at` })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returning('expires_at')
    .executeTakeFirst()
  return held && Number(held.expires_at)
}

async function insertLessonCode(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  keys: Pick<StateKeys, 'lessonCodes'>,
  { rule, format, by, code, milliseconds }: NewLessonCode,
): Promise<LessonCode | 'exists' | 'full'> {
  const others = (await readLessonCodes(transaction, now)).filter((one) => one.rule === rule)
  if (others.length >= MAXIMUM) return 'full'
  const [sealing] = keys.lessonCodes.map((key) => hashOf(key, rule, code))
  if (sealing === undefined || others.some(({ hash }) => timingSafeEqual(hash, sealing))) return 'exists'
  const row = await transaction
    .insertInto('engine_lesson_code')
    .values({
      // Its random part: the beginning is the time, the same for codes of one minute.
      id: randomUUIDv7().slice(-12),
      rule_name: rule,
      code_format: format,
      code_hash: sealing.toString('base64url'),
      created_by: by ?? '',
      created_at: now,
      expires_at: after(now, milliseconds),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toLessonCode(row)
}

/** Without the key, nobody who reads the database can try codes against it. */
function hashOf(key: StateKeys['fingerprint'], rule: string, code: string): Buffer {
  return createHmac('sha256', key)
    .update(`${rule}\n${code.normalize('NFC')}`)
    .digest()
}

function eventOf(event: 'code.created' | 'code.ended', { id, rule, by, expiresAt }: LessonCode): AdministrationEvent {
  return { event, lesson_code: id, rule_name: rule, acted_by: by ?? null, expires_at: expiresAt }
}

function toLessonCode(row: Selectable<StateTables['engine_lesson_code']>): StoredCode {
  return {
    id: row.id,
    rule: row.rule_name,
    format: row.code_format,
    by: row.created_by === '' ? undefined : row.created_by,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    hash: Buffer.from(row.code_hash, 'base64url'),
  }
}
