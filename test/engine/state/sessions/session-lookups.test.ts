// Lookups of sessions: few queries, in time, and never an answer that is older than the question.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSessionLookups } from '../../../../src/engine/state/sessions/session-lookups.ts'

/** A database whose queries the test answers. */
function heldDatabase() {
  const queries: { readonly holders: readonly string[]; readonly answer: (sessions?: readonly string[]) => void }[] = []
  const known = new Set<string>()
  const lookups = createSessionLookups(
    (holders) =>
      new Promise((resolve) => {
        const answer = (sessions: readonly string[] = []) => {
          for (const session of sessions) known.add(session)
          resolve()
        }
        queries.push({ holders, answer })
      }),
    (holder, rule) => known.has(`${holder} ${rule}`),
  )
  return { lookups, queries }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('while a query is under way, others wait for one query together', async () => {
  const { lookups, queries } = heldDatabase()
  const first = lookups.find('a', 'rule')
  const others = ['b', 'b', 'c'].map((holder) => lookups.find(holder, 'rule'))
  assert.deepEqual(
    queries.map(({ holders }) => holders),
    [['a']],
  )
  queries[0]?.answer(['a rule'])
  assert.equal(await first, true)
  await settled()
  assert.deepEqual(
    queries.map(({ holders }) => holders),
    [['a'], ['b', 'c']],
  )
  queries[1]?.answer(['b rule'])
  assert.deepEqual(await Promise.all(others), [true, true, false])
})

test('a lookup does not join a query that was sent before it', async () => {
  const { lookups, queries } = heldDatabase()
  const before = lookups.find('a', 'rule')
  const after = lookups.find('a', 'rule')
  // The session is committed after the first query has read the table.
  queries[0]?.answer()
  assert.equal(await before, false)
  await settled()
  queries[1]?.answer(['a rule'])
  assert.equal(await after, true)
})

test('gives up after 200 ms, whether its query was sent or not, and goes on afterwards', async () => {
  const { lookups, queries } = heldDatabase()
  const startedAt = performance.now()
  const found = await Promise.all(['a', 'b'].map((holder) => lookups.find(holder, 'rule')))
  const took = performance.now() - startedAt
  assert.deepEqual(found, [false, false])
  assert.ok(took > 190 && took < 1_000, `${took} ms`)
  const later = lookups.find('c', 'rule')
  queries[0]?.answer()
  await settled()
  assert.deepEqual(
    queries.map(({ holders }) => holders),
    [['a'], ['c']],
  )
  queries[1]?.answer(['c rule'])
  assert.equal(await later, true)
})

test('a database that fails has no session, and is asked again', async () => {
  let fails = true
  const lookups = createSessionLookups(
    async () => {
      if (fails) throw new Error('a fault')
    },
    () => !fails,
  )
  assert.equal(await lookups.find('a', 'rule'), false)
  fails = false
  assert.equal(await lookups.find('a', 'rule'), true)
})
