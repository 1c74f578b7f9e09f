// Every acceptance's state against a model, over random interleavings: several verdicts, two replicas, attempts that
// are begun and completed at once, answered late, out of order, twice, or never (the portal that asked was killed).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Attempt } from '../../src/ledger/acceptances.ts'
import type { Outcome } from '../../src/ledger/state.ts'
import { databases, query } from '../support/databases.ts'
import { acceptanceRequest, newReference, openReplica } from './fixture.ts'

const VERDICTS = 2

type Step =
  | { readonly kind: 'begin'; readonly verdict: number; readonly replica: number }
  | { readonly kind: 'complete'; readonly attempt: number; readonly replica: number; readonly outcome: Outcome }

const replica = fc.nat(1)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('begin'), verdict: fc.nat(VERDICTS - 1), replica }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('complete'),
      attempt: fc.nat(5),
      replica,
      outcome: fc.constantFrom<Outcome[]>(302, 403, 403, 429, 500, 200, 'broken', 'none'),
    }),
  },
)
/** The steps of a round are taken at once; those of the next one after them. */
const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })

/** What the portal asked the engine, and what it knows of the answer. */
interface ModelAttempt extends Attempt {
  answer: Outcome | undefined
}

/** Protocol v1, section 3, word for word. */
function expectedState(attempts: readonly ModelAttempt[]): string {
  if (attempts.some(({ answer }) => answer === 302)) return 'accepted'
  const open = ({ answer }: ModelAttempt) => typeof answer !== 'number' || answer < 400 || answer > 499
  return attempts.some(open) ? 'pending' : 'refused'
}

for (const { name, skip, create } of databases) {
  test(`the state follows from the attempts, ${name}`, { skip, timeout: 60_000 }, async (t) => {
    const location = await create(t)
    const replicas = await Promise.all([openReplica(t, location), openReplica(t, location)])

    async function run(plan: Step[][]): Promise<void> {
      const references = Array.from({ length: VERDICTS }, newReference)
      const attempts: ModelAttempt[] = []
      const accepted = new Set<string>()
      for (const round of plan) {
        const known = [...attempts]
        const answeredNow = new Set<ModelAttempt>()
        const work = round.map(async (step) => {
          const ledger = replicas[step.replica] ?? assert.fail()
          if (step.kind === 'begin') {
            const reference = references[step.verdict] ?? assert.fail()
            attempts.push({ ...(await ledger.beginAttempt(acceptanceRequest({ reference }))), answer: undefined })
            return
          }
          const attempt = known[step.attempt % known.length]
          // Which of two answers at once to one attempt comes first, only the database knows; a portal has only one.
          if (attempt === undefined || answeredNow.has(attempt)) return
          answeredNow.add(attempt)
          await ledger.completeAttempt(attempt, step.outcome)
          if (step.outcome !== 'none') attempt.answer ??= step.outcome
        })
        await Promise.all(work)

        const rows = await query(
          location,
          `select * from acceptance where jti in (${references.map((reference) => `'${reference}'`).join()})`,
        )
        assert.equal(rows.length, new Set(attempts.map(({ reference }) => reference)).size)
        for (const row of rows) {
          const asked = attempts.filter(({ reference }) => reference === row.jti)
          assert.equal(row.state, expectedState(asked))
          assert.equal(row.attempts, asked.length)
          assert.equal(row.state === 'pending', row.decided_at === null)
          assert.equal(row.state === 'pending', row.engine_status === null)
          assert.equal(row.state === 'accepted', row.engine_status === 302)
          if (row.state === 'accepted') accepted.add(String(row.jti))
          else assert.ok(!accepted.has(String(row.jti)), 'accepted is for good')
        }
      }
    }

    await fc.assert(fc.asyncProperty(rounds, run), { numRuns: 100, interruptAfterTimeLimit: 6_000 })
  })
}
