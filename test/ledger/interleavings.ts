// Every acceptance's state against a model, over random interleavings of two concurrent replicas that complete late, twice
// or never, and that are killed in between.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import pg from 'pg'
import type { Attempt } from '../../src/ledger/acceptances.ts'
import type { Outcome } from '../../src/ledger/state.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { query, type TestDatabase } from '../support/databases.ts'
import { acceptanceRequest, newReference, openReplica, type Replica } from './fixture.ts'
import { type Answer, assertFollows, expectedState, jumpingClock, OPEN } from './orders.ts'

const VERDICTS = 2
type Step =
  | { readonly kind: 'begin'; readonly verdict: number; readonly replica: number }
  | { readonly kind: 'complete'; readonly attempt: number; readonly outcome: Outcome }
  | { readonly kind: 'die'; readonly replica: number; readonly afterMilliseconds: number }

const replica = fc.nat(1)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin'), verdict: fc.nat(VERDICTS - 1), replica }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('complete'),
      attempt: fc.nat(5),
      outcome: fc.constantFrom<Outcome[]>(302, 403, 403, 429, 500, 200, 'broken', 'none'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die'), replica, afterMilliseconds: fc.nat(4) }) },
)
/** The steps of a round run concurrently; rounds run one after the other. */
const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 })

/** A portal's request to the engine, and the outcomes that it tried to record, in order. */
interface ModelAttempt extends Attempt {
  readonly replica: number
  /** Its portal was killed since, and records no outcome. */
  orphaned: boolean
  readonly tried: { readonly outcome: Outcome; readonly acknowledged: boolean }[]
}

interface Mortal {
  readonly ledger: Replica
  /** Aborts its work. */
  readonly die: () => Promise<unknown>
}

/** Plays this many random histories, and checks the state after each round. */
export async function playInterleavings(t: TestContext, { create }: TestDatabase, count: number): Promise<void> {
  const location = await create(t)
  const replicas = [await openMortal(t, location, 0), await openMortal(t, location, 1)]
  let deaths = 0

  async function run(plan: Step[][]): Promise<void> {
    const references = Array.from({ length: VERDICTS }, newReference)
    const attempts: ModelAttempt[] = []
    /** Perhaps begun: the portal was killed before the reply. */
    const unheard: string[] = []
    const accepted = new Set<string>()
    for (const round of plan) {
      const known = attempts.filter(({ orphaned }) => !orphaned)
      const answeredNow = new Set<ModelAttempt>()
      const dying = new Set(round.flatMap((step) => (step.kind === 'die' ? [step.replica] : [])))
      const take = async (step: Step): Promise<void> => {
        if (step.kind === 'die') {
          await sleep(step.afterMilliseconds)
          await replicas[step.replica]?.die()
          deaths++
          return
        }
        if (step.kind === 'begin') {
          const reference = references[step.verdict] ?? assert.fail()
          try {
            const ledger = replicas[step.replica]?.ledger ?? assert.fail()
            const locale = `attempt-${attempts.length}-${step.replica}`
            const attempt = await ledger.beginAttempt(acceptanceRequest({ reference, locale }))
            attempts.push({ ...attempt, replica: step.replica, orphaned: false, tried: [] })
          } catch (error) {
            if (!dying.has(step.replica)) throw error
            unheard.push(reference)
          }
          return
        }
        const attempt = known[step.attempt % known.length]
        // The database decides the order of two concurrent completions of one attempt; a real portal sends one.
        if (attempt === undefined || answeredNow.has(attempt)) return
        answeredNow.add(attempt)
        const { outcome } = step
        try {
          await replicas[attempt.replica]?.ledger.completeAttempt(attempt, outcome)
          attempt.tried.push({ outcome, acknowledged: true })
        } catch (error) {
          if (!dying.has(attempt.replica)) throw error
          attempt.tried.push({ outcome, acknowledged: false })
        }
      }
      await Promise.all(round.map(take))
      for (const attempt of attempts) attempt.orphaned ||= dying.has(attempt.replica)
      await check(references, attempts, unheard, accepted)
    }
  }

  async function check(
    references: readonly string[],
    attempts: readonly ModelAttempt[],
    unheard: readonly string[],
    accepted: Set<string>,
  ): Promise<void> {
    const list = references.map((reference) => `'${reference}'`).join()
    const acceptances = await query(location, `select * from acceptance where jti in (${list})`)
    const stored = await query(location, `select * from attempt where jti in (${list})`)
    for (const attempt of attempts) {
      const row = stored.find(({ id }) => id === attempt.id) ?? assert.fail('begun, and no row')
      assert.ok(possibleAnswers(attempt).includes(answerOf(row)), `${answerOf(row)} of ${JSON.stringify(attempt)}`)
    }
    for (const reference of references) {
      const rows = stored.filter(({ jti }) => jti === reference)
      const heard = attempts.filter((attempt) => attempt.reference === reference)
      const others = rows.filter(({ id }) => heard.every((attempt) => attempt.id !== id))
      assert.ok(others.length <= unheard.filter((other) => other === reference).length, 'an attempt out of nowhere')
      assert.ok(others.every((row) => answerOf(row) === OPEN))

      const [acceptance, ...more] = acceptances.filter(({ jti }) => jti === reference)
      assert.equal(more.length, 0)
      assert.equal(acceptance === undefined, rows.length === 0)
      if (acceptance === undefined) continue
      const { state, decided_at, engine_status } = acceptance
      assert.equal(state, expectedState(rows.map(answerOf)))
      assert.equal(acceptance.attempts, rows.length)
      assert.equal(state === 'pending', decided_at === null)
      assert.equal(state === 'pending', engine_status === null)
      assert.equal(state === 'accepted', engine_status === 302)
      assertFollows(acceptance, rows)
      if (state === 'accepted') accepted.add(reference)
      else assert.ok(!accepted.has(reference), 'accepted is for good')
    }
  }

  await fc.assert(fc.asyncProperty(rounds, run), { numRuns: count })
  assert.ok(deaths > 0)
}

/** A row's outcome; a broken response has no status. */
function answerOf({ answered_at, engine_status }: Record<string, unknown>): Answer {
  if (answered_at === null) return OPEN
  return engine_status === null ? 'broken' : (engine_status as number)
}

/** The first outcome stays; one whose portal was killed while recording it may be stored. */
function possibleAnswers({ tried }: ModelAttempt): Answer[] {
  const possible: Answer[] = []
  for (const { outcome, acknowledged } of tried) {
    if (outcome === 'none') continue
    possible.push(outcome)
    if (acknowledged) return possible
  }
  return [...possible, OPEN]
}

async function openMortal(t: TestContext, location: DatabaseLocation, number: number): Promise<Mortal> {
  if (location.dialect === 'sqlite') {
    let thread: Worker | undefined
    const meet = (worker: Worker) => {
      thread = worker
    }
    process.on('worker', meet)
    const ledger = await openReplica(t, location, jumpingClock(number + 7))
    process.off('worker', meet)
    return { ledger, die: async () => thread?.terminate() }
  }
  const url = new URL(location.url)
  url.searchParams.set('application_name', `replica-${number}`)
  const killer = new pg.Client({ connectionString: location.url })
  // The database is dropped first.
  killer.on('error', () => {})
  await killer.connect()
  t.after(() => killer.end())
  const kill = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'replica-${number}'`
  return {
    ledger: await openReplica(t, { ...location, url: url.href }, jumpingClock(number + 7)),
    die: () => killer.query(kill),
  }
}
