// Random changes, removals and insertions by SQL, in every table: verification names the first attempt.
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { HeadRecord } from '../../../../../src/ledger/schema.ts'
import type { DatabaseLocation } from '../../../../../src/settings/sections/database.ts'
import { NOW, newReference } from '../../../../ledger/fixture.ts'
import { HOUR, startPortal, verified } from '../../../../ledger/heads/fixture.ts'
import { databases, query } from '../../../../support/databases.ts'
import { propertyRuns } from '../../../../support/property-runs.ts'

const TABLES = ['document', 'acceptance', 'attempt', 'ledger_head', 'ledger_leaf', 'ledger_entry']
const VERDICTS = 12
/** Covered by the first head. */
const THEN = new Date(NOW + 5_000).toISOString()

/** Columns of an attempt, and a value that none has. */
const ATTEMPT = {
  asked_at: `'2026-11-20T12:00:00.001Z'`,
  answered_at: `'2026-11-20T12:00:00.002Z'`,
  engine_status: '418',
  policy_version: `'forged'`,
  document_sha256: `'forged'`,
  locale: `'xx'`,
  document_source: `'forged'`,
  client_address: `'203.0.113.9'`,
}
/** Columns of an acceptance that its attempts' leaves cover. */
const COVERED = {
  id: `'forged'`,
  rule_name: `'forged'`,
  requested_at: `'2026-11-20T12:00:00.001Z'`,
  portal_version: `'forged'`,
}
/** Columns of an acceptance that follow from its attempts. */
const DERIVED = {
  policy_version: `'forged'`,
  document_sha256: `'forged'`,
  locale: `'xx'`,
  document_source: `'forged'`,
  client_address: `'203.0.113.9'`,
  decided_at: `'2026-11-20T12:00:00.002Z'`,
  engine_status: '418',
  attempts: '7',
}

type Change =
  | { readonly kind: 'edit'; readonly column: keyof typeof ATTEMPT; readonly verdict: number; readonly attempt: number }
  | { readonly kind: 'edit covered'; readonly column: keyof typeof COVERED; readonly verdict: number }
  | { readonly kind: 'edit derived'; readonly column: keyof typeof DERIVED; readonly verdict: number }
  | {
      readonly kind: 'promote' | 'remove' | 'remove all' | 'insert' | 'insert acceptance'
      readonly verdict: number
      readonly attempt: number
    }
  | { readonly kind: 'move'; readonly verdict: number }

const verdict = fc.integer({ min: 0, max: VERDICTS - 1 })
const attempt = fc.integer({ min: 0, max: 2 })
const columns = <Name extends string>(of: Readonly<Record<Name, string>>) =>
  fc.constantFrom(...(Object.keys(of) as Name[]))
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('edit'), column: columns(ATTEMPT), verdict, attempt }),
  fc.record({ kind: fc.constant('edit covered'), column: columns(COVERED), verdict }),
  fc.record({ kind: fc.constant('edit derived'), column: columns(DERIVED), verdict }),
  fc.record({
    kind: fc.constantFrom('promote', 'remove', 'remove all', 'insert', 'insert acceptance'),
    verdict,
    attempt,
  }),
  fc.record({ kind: fc.constant('move'), verdict }),
) as fc.Arbitrary<Change>

interface Verdict {
  readonly jti: string
  /** Ids, in order. */
  readonly attempts: readonly string[]
}

for (const database of databases) {
  describe(`tampering, ${database.name}`, { skip: database.skip, timeout: 120_000 }, () => {
    test('with attempts and acceptances: the first attempt is named', async (t) => {
      const { location, verdicts, heads, restore } = await coveredLedger(t, await database.create(t))
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(change, { minLength: 1, maxLength: 3, selector: (one) => one.verdict }),
          fc.boolean(),
          async (changes, withExported) => {
            await restore()
            const named = []
            const acceptances = []
            for (const one of changes) {
              const victim = verdicts[one.verdict] ?? assert.fail()
              named.push(...(await tamper(location, one, victim)))
              if (one.kind === 'edit derived') acceptances.push(victim.jti)
            }
            const { first, findings } = await verified(location, withExported ? heads : [])
            assert.ok(first !== undefined)
            if (named.length > 0) assert.deepEqual([first.what, first.id], ['attempt', named.sort()[0]])
            for (const id of named)
              assert.ok(
                findings.some((finding) => finding.what === 'attempt' && finding.id === id),
                id,
              )
            for (const jti of acceptances)
              assert.ok(
                findings.some((finding) => finding.jti === jti),
                jti,
              )
          },
        ),
        propertyRuns(database.dialect === 'sqlite' ? 60 : 10),
      )
      await restore()
      assert.deepEqual((await verified(location, heads)).findings, [])
    })

    test('with the evidence: it is noticed, whichever row it is', async (t) => {
      const { location, heads, restore } = await coveredLedger(t, await database.create(t))
      const statements = [
        `update ledger_leaf set hash = '${'0'.repeat(64)}'`,
        `update ledger_leaf set salt = '00'`,
        'update ledger_leaf set attempt_id = null',
        `update ledger_leaf set before_merge = '["a","b","c","d"]'`,
        'delete from ledger_leaf',
        `update ledger_head set root = '${'0'.repeat(64)}'`,
        'update ledger_head set size = size + 1',
        `update ledger_head set at = '2026-11-20T12:00:00.000Z'`,
        `update ledger_head set signature = 'x'`,
        `update ledger_head set until = '2026-11-20T12:00:00.000Z'`,
        `update ledger_head set previous = null`,
      ]
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...statements),
          fc.integer({ min: 2, max: 4 }),
          fc.nat(3),
          async (statement, head, position) => {
            await restore()
            const isLeaf = statement.includes('ledger_leaf')
            await query(
              location,
              `${statement} where ${isLeaf ? `head = ${head} and position = ${position}` : `number = ${head}`}`,
            )
            assert.ok((await verified(location)).total > 0)
            assert.ok((await verified(location, heads)).total > 0)
          },
        ),
        propertyRuns(database.dialect === 'sqlite' ? 60 : 10),
      )
    })

    test('with an attempt and its leaf, as a program of ours would: the head shows it', async (t) => {
      const { location, verdicts, heads } = await coveredLedger(t, await database.create(t))
      const [id] = verdicts[5]?.attempts ?? []
      const { attemptLeaf } = await import('../../../../../src/ledger/heads/leaf.ts')
      await query(location, `update attempt set locale = 'xx' where id = '${id}'`)
      const [row] = await query(
        location,
        `select attempt.*, acceptance.id as acceptance_id, rule_name, requested_at, portal_version, salt
         from attempt join acceptance on acceptance.jti = attempt.jti join ledger_leaf on attempt_id = attempt.id
         where attempt.id = '${id}'`,
      )
      const hash = attemptLeaf(row as never, `${row?.salt}`)
      await query(location, `update ledger_leaf set hash = '${hash}' where attempt_id = '${id}'`)
      const { first } = await verified(location, heads)
      assert.deepEqual([first?.what, first?.problem], ['leaf', 'changed'])
      assert.match(`${first?.detail}`, /do not have its root/)
    })
  })
}

/** Verdicts with up to three attempts, under four heads, and an answer that never came. */
async function coveredLedger(t: Parameters<typeof startPortal>[0], location: DatabaseLocation) {
  const portal = await startPortal(t, location)
  const verdicts: Verdict[] = []
  const heads: HeadRecord[] = []
  for (let number = 0; number < VERDICTS; number++) {
    const reference = newReference()
    const outcomes = [[302], [403, 302], [undefined], [503, 403, 403]][number % 4] ?? []
    const attempts = []
    for (const outcome of outcomes) {
      const clientAddress = number % 3 === 0 ? '192.0.2.7' : undefined
      attempts.push((await portal.record(outcome, { reference, clientAddress })).id)
    }
    verdicts.push({ jti: reference, attempts })
    if (number % 3 !== 2) continue
    heads.push(...(await portal.append()))
    portal.time += HOUR
  }
  portal.time += 30 * HOUR
  heads.push(...(await portal.append()))
  for (const table of TABLES) await query(location, `create table saved_${table} as select * from ${table}`)
  const restore = async () => {
    const statements = [
      ...TABLES.toReversed().map((table) => `delete from ${table}`),
      ...TABLES.map((table) => `insert into ${table} select * from saved_${table}`),
    ]
    if (location.dialect === 'postgres') await query(location, statements.join(';'))
    else {
      using database = new DatabaseSync(location.path)
      database.exec(`pragma synchronous = off; begin; ${statements.join(';')}; commit`)
    }
  }
  return { location, verdicts, heads, restore }
}

/** @returns the ids of the attempts that must be named */
async function tamper(
  location: DatabaseLocation,
  change: Change,
  { jti, attempts }: Verdict,
): Promise<readonly string[]> {
  const of = `where jti = '${jti}'`
  if (change.kind === 'edit covered') {
    await query(location, `update acceptance set ${change.column} = ${COVERED[change.column]} ${of}`)
    return attempts
  }
  if (change.kind === 'edit derived') {
    await query(location, `update acceptance set ${change.column} = ${DERIVED[change.column]} ${of}`)
    return []
  }
  if (change.kind === 'move') {
    // To an acceptance of the attacker's.
    const [forged] = await insertAcceptance(location)
    await query(location, `update attempt set jti = '${forged?.jti}' where id = '${attempts[0]}'`)
    return [attempts[0] ?? assert.fail(), forged?.id ?? assert.fail()]
  }
  const id = attempts[change.attempt % attempts.length] ?? assert.fail()
  if (change.kind === 'edit') {
    await query(location, `update attempt set ${change.column} = ${ATTEMPT[change.column]} where id = '${id}'`)
    return [id]
  }
  if (change.kind === 'promote') {
    await query(location, `update attempt set engine_status = 302, answered_at = '${THEN}' where id = '${id}'`)
    await query(location, `update acceptance set state = 'accepted', engine_status = 302, decided_at = '${THEN}' ${of}`)
    return [id]
  }
  if (change.kind === 'remove') {
    await query(location, `delete from attempt where id = '${id}'`)
    return [id]
  }
  if (change.kind === 'remove all') {
    await query(location, `delete from attempt ${of}`)
    await query(location, `delete from acceptance ${of}`)
    return attempts
  }
  if (change.kind === 'insert') return [await insertAttempt(location, jti)]
  return (await insertAcceptance(location)).map((one) => one.id)
}

async function insertAttempt(location: DatabaseLocation, jti: string): Promise<string> {
  const id = randomUUIDv7()
  await query(
    location,
    `insert into attempt (id, jti, asked_at, answered_at, engine_status, policy_version, document_sha256, locale, document_source)
     select '${id}', '${jti}', '${THEN}', '${THEN}', 302, policy_version, document_sha256, locale, document_source
     from attempt limit 1`,
  )
  return id
}

async function insertAcceptance(location: DatabaseLocation) {
  const jti = newReference()
  await query(
    location,
    `insert into acceptance (id, jti, rule_name, policy_version, document_sha256, document_source, locale, state, requested_at,
       decided_at, engine_status, attempts, portal_version)
     select '${randomUUIDv7()}', '${jti}', rule_name, policy_version, document_sha256, document_source, locale, 'accepted',
       '${THEN}', '${THEN}', 302, 1, portal_version from acceptance limit 1`,
  )
  return [{ jti, id: await insertAttempt(location, jti) }]
}
