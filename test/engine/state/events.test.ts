// Events: what visitors and administrators did is recorded with it, once, whatever ends in between.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { rangeText } from '../../../src/network/address-range.ts'
import type { DatabaseLocation } from '../../../src/settings/sections/database.ts'
import { databases, query } from '../../support/databases.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { sharedDatabase } from '../../support/shared-database.ts'
import { parseNetwork } from '../parse-network.ts'
import {
  attempt,
  identity,
  LIMITS,
  movableClock,
  newKeys,
  newReference,
  openEngine,
  RULE,
  redemption,
  SOMEONE,
} from './fixture.ts'

/** By time; without what is null. */
async function eventsIn(location: DatabaseLocation): Promise<readonly Record<string, unknown>[]> {
  const rows = await query(location, 'select * from engine_event order by at, id')
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) => {
        if (value === null || name === 'id' || name === 'at' || name === 'expires_at') return []
        return [[name, value]]
      }),
    ),
  )
}

const outcomesIn = async (location: DatabaseLocation) =>
  (await eventsIn(location)).map(({ outcome }) => outcome).toSorted()

for (const database of databases) {
  const { name, skip, dialect } = database
  describe(`events, ${name}`, { skip }, () => {
    const shared = sharedDatabase(database)

    test('what administrators do', async (t) => {
      const location = await shared()
      const state = await openEngine(t, location)
      const network = parseNetwork('192.168.12.0/24')
      const wide = { host: 'casino.example', below: true, by: 'Ms Rossi', milliseconds: 60_000 }
      const { id = '' } = (await state.permit(wide)) ?? {}
      const narrow = { ...wide, below: false, client: network, user: 'anna', group: 'staff', despite: 'exam' }
      await state.permit(narrow)
      await state.revoke(id)
      await state.revoke(id)
      const on = { name: 'exam', by: 'Mr Weber', milliseconds: 60_000 }
      await state.turnOn({ ...on, room: '12', networks: [network] })
      await state.turnOn({ ...on, room: undefined, networks: undefined })
      await state.turnOff({ name: 'exam', networks: 'all', room: undefined })
      const code = { rule: 'videos', format: 1, by: 'Ms Rossi', code: '4711', milliseconds: 60_000 }
      const added = await state.addLessonCode(code)
      const lesson_code = typeof added === 'string' ? assert.fail(added) : added.id
      await state.addLessonCode(code)
      const rightCode = { code: '4711', isOneOfSeveral: false, lockoutMs: 1, lessonCode: lesson_code }
      await state.redeem(redemption({ rightCode, host: 'video.example', group: 'pupils' }))
      await state.endLessonCode(lesson_code)
      await state.endLessonCode(lesson_code)
      await state.redeem(redemption({ identity: identity('192.168.12.7', 'anna') }))
      await state.endSessions({ user: 'anna', networks: [network], room: '12' })
      await state.endSessions({})
      await state.reserveAttempt(attempt('1'))
      await state.endLockouts({ client: '198.51.100.7' })
      await state.endLockouts({})

      const granted = { host: '.casino.example', acted_by: 'Ms Rossi' }
      const scope = { client: '192.168.12.0/24', user_name: 'anna', group_name: 'staff', despite: 'exam' }
      const exam = { switch_name: 'exam', acted_by: 'Mr Weber' }
      const room = { client: rangeText(network), room_name: '12' }
      const created = { lesson_code, rule_name: 'videos', acted_by: 'Ms Rossi' }
      const events = (await eventsIn(location)).filter(({ event }) => event !== 'acknowledgement')
      const sorted = (rows: readonly object[]) =>
        rows.map((row) => JSON.stringify(Object.entries(row).toSorted())).sort()
      assert.deepEqual(
        sorted(events),
        sorted([
          { event: 'permission.granted', ...granted },
          { event: 'permission.granted', ...granted, host: 'casino.example', ...scope },
          { event: 'permission.ended', ...granted },
          { event: 'switch.on', ...exam, ...room },
          { event: 'switch.on', ...exam },
          { event: 'switch.off', ...exam, ...room },
          { event: 'switch.off', ...exam },
          { event: 'code.created', ...created },
          { event: 'code.ended', ...created, ended: 1 },
          { event: 'sessions.ended', user_name: 'anna', room_name: '12', ended: 1 },
          { event: 'lockouts.ended', client: '198.51.100.7', ended: 1 },
        ]),
      )
      const acknowledged = (await eventsIn(location)).find(({ rule_name, host }) => rule_name === RULE && host)
      assert.deepEqual(
        [acknowledged?.outcome, acknowledged?.lesson_code, acknowledged?.host, acknowledged?.group_name],
        ['accepted', lesson_code, 'video.example', 'pupils'],
      )
    })

    test('an action whose event cannot be recorded is not done, and the other way round', async (t) => {
      const location = await shared()
      const state = await openEngine(t, location)
      const permission = { host: 'casino.example', below: true, by: 'Ms Rossi', milliseconds: 60_000 }
      const failure = { name: 'StateUnavailable', message: /refuses it/ }
      const mend = await failInserts('engine_event')
      await assert.rejects(state.permit(permission), failure)
      await assert.rejects(state.reserveAttempt(attempt('1')), failure)
      await mend()
      const again = await failInserts('engine_session')
      await assert.rejects(state.redeem(redemption()), failure)
      await again()
      assert.deepEqual(await state.permissions(), [])
      assert.deepEqual(await eventsIn(location), [])
      assert.deepEqual(await query(location, 'select used from engine_attempt'), [])

      async function failInserts(table: string) {
        if (dialect === 'sqlite') {
          const body = `begin select raise(abort, 'a fault'); end`
          await query(location, `create trigger fault before insert on ${table} ${body}`)
          return () => query(location, 'drop trigger fault')
        }
        await query(
          location,
          `create function fault() returns trigger language plpgsql as $$ begin raise exception 'a fault'; end $$;
           create trigger fault before insert on ${table} for each row execute function fault()`,
        )
        return () => query(location, `drop trigger fault on ${table}; drop function fault`)
      }
    })

    test('an attempt counts as wrong until its code is redeemed, also by another engine after a crash', async (t) => {
      const location = await shared()
      const keys = await newKeys(t)
      const reference = newReference()
      const one = await openEngine(t, location, { keys })
      await one.reserveAttempt(attempt('right', { reference, host: 'lab.example' }))
      await one.close()
      const [row] = await eventsIn(location)
      const person = { reference, rule_name: RULE, host: 'lab.example', client: '198.51.100.7' }
      assert.deepEqual(row, { event: 'acknowledgement', outcome: 'code rejected', ...person })
      const other = await openEngine(t, location, { keys })
      const resent = await other.reserveAttempt(attempt('right', { reference }))
      assert.equal(resent.kind, 'reserved')
      const { countedAt } = resent as { countedAt: number }
      const rightCode = { code: 'right', isOneOfSeveral: false, lockoutMs: LIMITS.lockoutMs, countedAt }
      await other.redeem(redemption({ reference, rightCode, host: 'lab.example' }))
      assert.deepEqual(await eventsIn(location), [{ ...row, outcome: 'accepted' }])
      // The same acknowledgement again, at once and as a new attempt.
      await other.redeem(redemption({ reference, rightCode }))
      assert.deepEqual(await outcomesIn(location), ['accepted'])
      const later = await other.reserveAttempt(attempt('right', { reference }))
      const next = { ...rightCode, countedAt: (later as { countedAt: number }).countedAt }
      assert.deepEqual(await other.redeem(redemption({ reference, rightCode: next })), { repeated: true })
      assert.deepEqual(await outcomesIn(location), ['accepted'])
    })

    test('guesses in the same millisecond are as many events, those that are repeated one', async (t) => {
      const location = await shared()
      const frozen = Date.now()
      const options = { keys: await newKeys(t), clock: () => frozen }
      const engines = [await openEngine(t, location, options), await openEngine(t, location, options)]
      const codes = ['1', '2', '3', '4', '1', '2']
      await Promise.all(codes.map((code, number) => engines[number % 2]?.reserveAttempt(attempt(code))))
      assert.deepEqual(await outcomesIn(location), Array(4).fill('code rejected'))
      await engines[0]?.reserveAttempt(attempt('5'))
      await engines[1]?.reserveAttempt(attempt('6'))
      assert.deepEqual(await outcomesIn(location), [...Array(4).fill('code rejected'), 'locked out'])
    })

    test('whatever is guessed, resent and redeemed: an event for each attempt, an accepted one for each session', async (t) => {
      const location = await shared()
      const keys = await newKeys(t)
      // The clock is frozen: nothing may depend on attempts being in different milliseconds.
      const { clock, pass } = await movableClock(location)
      const frozen = clock()
      const still = dialect === 'sqlite' ? () => frozen : clock
      const engines = [
        await openEngine(t, location, { keys, clock: still }),
        await openEngine(t, location, { keys, clock: still }),
      ] as const
      let visitors = 0
      const step = fc.record({ code: fc.constantFrom('right', '1', '2', '3'), crashes: fc.boolean() })
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
          fc.boolean(),
          async (rounds, isOneOfSeveral) => {
            const reference = newReference()
            const who = identity(`10.0.${visitors >> 8}.${visitors++ & 255}`)
            // By time and code: in the same millisecond, the time of an attempt that was returned is used again.
            const [counted, locked, returned] = [new Set<string>(), new Set<string>(), new Set<string>()]
            let accepted: string | undefined
            // Those of a round are at once.
            for (const round of rounds) {
              await Promise.all(
                round.map(async ({ code, crashes }, number) => {
                  const engine = engines[(number % 2) as 0 | 1]
                  const one = await engine.reserveAttempt(attempt(code, { reference, identity: who }))
                  if (one.kind !== 'reserved') return
                  const key = `${one.countedAt} ${code}`
                  counted.add(key)
                  returned.delete(key)
                  if (one.left === 0) locked.add(key)
                  if (code !== 'right' || crashes) return
                  const { countedAt } = one
                  const rightCode = { code, isOneOfSeveral, lockoutMs: LIMITS.lockoutMs, countedAt }
                  const { repeated } = await engine.redeem(redemption({ reference, identity: who, rightCode }))
                  if (repeated) returned.add(key)
                  else accepted = key
                }),
              )
            }
            const rows = await query(
              location,
              `select at, outcome from engine_event where reference = '${reference}' order by at`,
            )
            const expected = [...counted]
              .filter((one) => one === accepted || !returned.has(one))
              .map((one) => {
                const outcome = one === accepted ? 'accepted' : locked.has(one) ? 'locked out' : 'code rejected'
                return `${Number.parseInt(one, 10)} ${outcome}`
              })
            assert.deepEqual(rows.map(({ at, outcome }) => `${at} ${outcome}`).toSorted(), expected.toSorted())
          },
        ),
        propertyRuns(dialect === 'sqlite' ? 150 : 50),
      )
      await pass(0)
    })

    // The statements of the rest are the same in both dialects.
    if (dialect === 'postgres') return

    test('a code that was ended meanwhile is recorded as wrong: its attempt counts', async (t) => {
      const location = await shared()
      const state = await openEngine(t, location)
      const { countedAt } = (await state.reserveAttempt(attempt('1'))) as { countedAt: number }
      const rightCode = { code: '1', isOneOfSeveral: true, lockoutMs: 1, countedAt, lessonCode: 'ended' }
      assert.equal((await state.redeem(redemption({ rightCode }))).codeEnded, true)
      assert.deepEqual(await outcomesIn(location), ['code rejected'])
    })

    test('at their maximum acknowledgements work without one; refused codes leave room to the rest', async (t) => {
      const location = await shared()
      const warnings: unknown[] = []
      const log = { info() {}, warn: (text: unknown) => warnings.push(text) }
      const state = await openEngine(t, location, { capacity: { events: 4 }, log })
      for (const code of ['1', '2', '3', '4']) await state.reserveAttempt(attempt(code))
      assert.equal((await eventsIn(location)).length, 2)
      for (let number = 0; number < 4; number++) {
        assert.deepEqual(await state.redeem(redemption({ rule: `rule-${number}` })), { repeated: false })
      }
      const two = ['accepted', 'accepted', 'code rejected', 'code rejected']
      assert.deepEqual(await outcomesIn(location), two)
      assert.deepEqual([state.lostEvents, warnings.length], [4, 1])
      assert.equal(state.hasSession('rule-3', SOMEONE), true)
      await state.permit({ host: 'casino.example', below: true, by: 'Ms Rossi', milliseconds: 60_000 })
      assert.equal((await eventsIn(location)).length, 5, 'an administrator’s')
      await query(location, 'delete from engine_event')
      await state.prune()
      await state.redeem(redemption())
      assert.deepEqual(await outcomesIn(location), ['accepted'])
    })

    test('without days none are recorded, without hosts none of visitors', async (t) => {
      const location = await shared()
      const off = await openEngine(t, location, { journal: { days: 0, hosts: true } })
      await off.redeem(redemption({ host: 'a.example' }))
      await off.reserveAttempt(attempt('1'))
      await off.permit({ host: 'casino.example', below: true, by: 'Ms Rossi', milliseconds: 60_000 })
      assert.deepEqual(await eventsIn(location), [])
      const other = await openEngine(t, location, { journal: { days: 14, hosts: false } })
      await other.redeem(redemption({ host: 'a.example' }))
      await other.permit({ host: 'casino.example', below: false, by: 'Ms Rossi', milliseconds: 60_000 })
      const hosts = (await eventsIn(location)).map(({ event, host }) => [event, host]).toSorted()
      assert.deepEqual(hosts, [
        ['acknowledgement', undefined],
        ['permission.granted', 'casino.example'],
      ])
    })
  })
}
