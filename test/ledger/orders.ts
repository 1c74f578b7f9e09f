// The states of an acceptance as the protocol defines them, and every order of a few attempts against that model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt } from '../../src/ledger/acceptances.ts'
import { SHOWN_COLUMNS } from '../../src/ledger/derive-acceptance.ts'
import type { Outcome } from '../../src/ledger/state.ts'
import { query, type TestDatabase } from '../support/databases.ts'
import { acceptanceRequest, NOW, newReference, openReplica, type Replica } from './fixture.ts'

const OPEN = 'open'
type Answer = Outcome | typeof OPEN

/** Protocol v1, section 3, word for word. */
function expectedState(answers: readonly Answer[]): string {
  if (answers.includes(302)) return 'accepted'
  const isRefusal = (answer: Answer) => typeof answer === 'number' && answer >= 400 && answer <= 499
  return answers.every(isRefusal) ? 'refused' : 'pending'
}

/** What becomes of an attempt; `dies` is a portal that goes between the commit of the attempt and that of its answer. */
type Fate = 302 | 403 | 500 | 'dies'
const FATES: readonly Fate[] = [302, 403, 500, 'dies']
type Event = { readonly kind: 'begin' } | { readonly kind: 'complete'; readonly attempt: number }
interface History {
  readonly fates: readonly Fate[]
  readonly events: readonly Event[]
}

/** Every history of this many attempts, numbered as they begin. */
function histories(attempts: number, possible: readonly Fate[]): History[] {
  const found: History[] = []
  const extend = (fates: History['fates'], open: readonly number[], events: readonly Event[]): void => {
    if (fates.length === attempts && open.length === 0) found.push({ fates, events })
    if (fates.length < attempts) {
      for (const fate of possible) {
        const now = fate === 'dies' ? open : [...open, fates.length]
        extend([...fates, fate], now, [...events, { kind: 'begin' }])
      }
    }
    for (const attempt of open) {
      const left = open.filter((other) => other !== attempt)
      extend(fates, left, [...events, { kind: 'complete', attempt }])
    }
  }
  extend([], [], [])
  return found
}

/** Two replicas' clocks differ, and neither always goes forward. */
function jumpingClock(step: number): () => number {
  let calls = 0
  return () => NOW + ((++calls * step) % 23)
}

/** What an acceptance has of its deciding attempt: the earliest yes, or, while there is none, the latest that was asked. */
function assertFollows(acceptance: Record<string, unknown>, attempts: readonly Record<string, unknown>[]): void {
  const key = (moment: string) => (row: Record<string, unknown>) => `${row[moment]} ${row.id}`
  const sortedBy = (rows: readonly Record<string, unknown>[], by: (row: Record<string, unknown>) => string) =>
    rows.toSorted((one, other) => (by(one) < by(other) ? -1 : 1))
  const accepting = attempts.filter(({ engine_status }) => engine_status === 302)
  const deciding = sortedBy(accepting, key('answered_at'))[0] ?? sortedBy(attempts, key('asked_at')).at(-1)
  for (const column of SHOWN_COLUMNS) assert.equal(acceptance[column], deciding?.[column], column)
  const isPending = acceptance.state === 'pending'
  assert.equal(acceptance.decided_at, isPending ? null : deciding?.answered_at)
  assert.equal(acceptance.engine_status, isPending ? null : deciding?.engine_status)
}

async function play(replicas: readonly Replica[], { fates, events }: History): Promise<string> {
  const reference = newReference()
  const attempts: Attempt[] = []
  for (const event of events) {
    const number = event.kind === 'begin' ? attempts.length : event.attempt
    const ledger = replicas[number % 2] as Replica
    const locale = `attempt-${number}`
    if (event.kind === 'begin') attempts.push(await ledger.beginAttempt(acceptanceRequest({ reference, locale })))
    else await ledger.completeAttempt(attempts[number] as Attempt, fates[number] as number)
  }
  return reference
}

/** One test: every order of up to so many attempts. */
export function testOrders({ name, skip, create }: TestDatabase, most: 'two' | 'three'): void {
  test(`every order of up to ${most} attempts, ${name}`, { skip, timeout: 120_000 }, async (t) => {
    const location = await create(t)
    const replicas = await Promise.all([
      openReplica(t, location, jumpingClock(7)),
      openReplica(t, location, jumpingClock(11)),
    ])
    // Of three attempts without an engine in trouble, which leaves an acceptance as a death does.
    const ofThree = most === 'three' ? histories(3, [302, 403, 'dies']) : []
    const all = [...histories(1, FATES), ...histories(2, FATES), ...ofThree]
    const byReference = new Map<string, History>()
    const rest = all.values()
    const playRest = async () => {
      for (const history of rest) byReference.set(await play(replicas, history), history)
    }
    await Promise.all(Array.from({ length: 16 }, playRest))

    const rows = await query(location, 'select * from acceptance')
    const stored = Map.groupBy(await query(location, 'select * from attempt'), ({ jti }) => jti)
    assert.equal(rows.length, all.length)
    for (const row of rows) {
      const { jti, state, attempts, engine_status } = row
      const history = byReference.get(String(jti)) ?? assert.fail('a row that nobody asked for')
      const answers = history.fates.map((fate) => (fate === 'dies' ? OPEN : fate))
      assert.equal(state, expectedState(answers), JSON.stringify(history))
      assert.equal(attempts, answers.length)
      assert.equal(engine_status, { accepted: 302, refused: 403 }[String(state)] ?? null)
      assertFollows(row, stored.get(jti) ?? [])
    }
  })
}
