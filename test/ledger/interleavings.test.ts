// Every acceptance's state against a model: in every order of up to three attempts, and over random interleavings of two
// concurrent replicas that complete late, twice or never, and that are killed in between.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import pg from 'pg'
import type { Attempt } from '../../src/ledger/acceptances.ts'
import type { LedgerLocation } from '../../src/ledger/database.ts'
import { SHOWN_COLUMNS } from '../../src/ledger/derive-acceptance.ts'
import type { Outcome } from '../../src/ledger/state.ts'
import { databases, query } from '../support/databases.ts'
import { acceptanceRequest, NOW, newReference, openReplica, type Replica } from './fixture.ts'

const OPEN = 'open'
type Answer = Outcome | typeof OPEN

/** Protocol v1, section 3, word for word. */
function expectedState(answers: readonly Answer[]): string {
  if (answers.includes(302)) return 'accepted'
  const isRefusal = (answer: Answer) => typeof answer === 'number' && answer >= 400 && answer <= 499
  return answers.every(isRefusal) ? 'refused' : 'pending'
}

/** An attempt's outcome; `dies`: the portal is killed between the commits of the attempt and of its outcome. */
type Fate = 302 | 403 | 500 | 'dies'
const FATES: readonly Fate[] = [302, 403, 500, 'dies']
type Event = { readonly kind: 'begin' } | { readonly kind: 'complete'; readonly attempt: number }
interface History {
  readonly fates: readonly Fate[]
  readonly events: readonly Event[]
}

/** Every history of this many attempts, numbered in the order of their begin. */
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

/** Two replicas' clocks differ, and neither is monotonic. */
function jumpingClock(step: number): () => number {
  let calls = 0
  return () => NOW + ((++calls * step) % 23)
}

/** The columns derived from the deciding attempt: the earliest 302, or without one the latest request. */
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

for (const { name, skip, skipSessions, create } of databases) {
  // Without concurrency three attempts take long and find no more than two.
  const most = skipSessions === false ? 'three' : 'two'
  test(`every order of up to ${most} attempts, ${name}`, { skip, timeout: 120_000 }, async (t) => {
    const location = await create(t)
    const replicas = await Promise.all([
      openReplica(t, location, jumpingClock(7)),
      openReplica(t, location, jumpingClock(11)),
    ])
    // Three attempts only without engine failures, which leave an acceptance in the same state as a kill.
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
      const history = byReference.get(String(jti)) ?? assert.fail('an unexpected row')
      const answers = history.fates.map((fate) => (fate === 'dies' ? OPEN : fate))
      assert.equal(state, expectedState(answers), JSON.stringify(history))
      assert.equal(attempts, answers.length)
      assert.equal(engine_status, { accepted: 302, refused: 403 }[String(state)] ?? null)
      assertFollows(row, stored.get(jti) ?? [])
    }
  })
}

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
  /** Aborts its work; undefined if that would affect the other replica, too. */
  readonly die: (() => Promise<unknown>) | undefined
}

for (const { name, skip, skipSessions, create } of databases) {
  test(`the state follows from the attempts, ${name}`, { skip, timeout: 60_000 }, async (t) => {
    const location = await create(t)
    const replicas = [await openMortal(t, location, 0, skipSessions), await openMortal(t, location, 1, skipSessions)]
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
            await replicas[step.replica]?.die?.()
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

    await fc.assert(fc.asyncProperty(rounds, run), { numRuns: 100, interruptAfterTimeLimit: 8_000 })
    if (skipSessions === false) assert.ok(deaths > 0)
  })
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

async function openMortal(
  t: TestContext,
  location: LedgerLocation,
  number: number,
  immortal: string | false,
): Promise<Mortal> {
  if (immortal !== false) return { ledger: await openReplica(t, location, jumpingClock(7)), die: undefined }
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
