// Shared by the tests of the state: engines' states that close after the test, and a database's clock that the test moves.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Clock } from '../../../src/engine/clock.ts'
import type { Identity } from '../../../src/engine/request/decision-request.ts'
import type { NewAttempt } from '../../../src/engine/state/attempts.ts'
import { ensureKeyFile, type StateKeys } from '../../../src/engine/state/key-file.ts'
import { openState, type StateOptions } from '../../../src/engine/state/open-state.ts'
import type { NewRedemption } from '../../../src/engine/state/sessions/redemptions.ts'
import type { EngineState } from '../../../src/engine/state/state.ts'
import type { DatabaseLocation } from '../../../src/settings/sections/database.ts'
import { query } from '../../support/databases.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { identity } from '../request-for.ts'

export { identity }

export const HOUR = 3_600_000
export const LIMITS = { attempts: 5, lockoutMs: 900_000 }
export const RULE = 'rule-example'

export const newReference = (): string => randomBytes(16).toString('base64url')

export const SOMEONE: Identity = identity('198.51.100.7')

export const newKeys = (t: TestContext): Promise<StateKeys> => ensureKeyFile(join(temporaryFolder(t), 'state.key'))

/** An engine's state; closed after the test. */
export async function openEngine(
  t: TestContext,
  location: DatabaseLocation,
  options: Partial<StateOptions> = {},
): Promise<EngineState> {
  const keys = options.keys ?? (await newKeys(t))
  const log = { info() {}, warn() {} }
  const state = await openState({ location, clock: Date.now, log, ...options, keys })
  t.after(() => state.close())
  return state
}

export function redemption(changes: Partial<NewRedemption> = {}): NewRedemption {
  return {
    reference: newReference(),
    rule: RULE,
    identity: SOMEONE,
    sessionMs: HOUR,
    redeemableMs: HOUR,
    rightCode: undefined,
    ...changes,
  }
}

export function attempt(code: string, changes: Partial<NewAttempt> = {}): NewAttempt {
  return { rule: RULE, identity: SOMEONE, reference: 'AAAAAAAAAAAAAAAAAAAAAA', code, limits: LIMITS, ...changes }
}

export interface MovableClock {
  readonly clock: Clock
  /** Moves the clock of the database and that of the processes. */
  pass(milliseconds: number): Promise<void>
}

/** To be called before the database is opened. PostgreSQL's own `now()` is replaced for new sessions. */
export async function movableClock(location: DatabaseLocation): Promise<MovableClock> {
  let ahead = 0
  if (location.dialect === 'postgres') {
    const { database } = location.server
    await query(
      location,
      `create schema moved; create table moved.clock (ahead bigint); insert into moved.clock values (0);
       create function moved.now() returns timestamptz language sql stable as
         $$ select pg_catalog.now() + (select ahead from moved.clock) * interval '1 millisecond' $$;
       alter database ${database} set search_path = moved, public, pg_catalog`,
    )
  }
  return {
    clock: () => Date.now() + ahead,
    async pass(milliseconds) {
      ahead += milliseconds
      if (location.dialect === 'postgres') await query(location, `update moved.clock set ahead = ${ahead}`)
    },
  }
}
