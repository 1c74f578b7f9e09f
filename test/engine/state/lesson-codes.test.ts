// Lesson codes in the database: never the code itself, shared by engines, and ended with the sessions that they opened.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ensureKeyFile } from '../../../src/engine/state/key-file.ts'
import type { EngineState } from '../../../src/engine/state/state.ts'
import type { LessonCode } from '../../../src/engine/verdict/lesson-code.ts'
import { databases, query } from '../../support/databases.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { HOUR, identity, movableClock, newKeys, openEngine, RULE, redemption } from './fixture.ts'

const PIN = 6

async function add(state: EngineState, code: string, changes: object = {}): Promise<LessonCode> {
  const added = await state.addLessonCode({ ...LESSON, code, ...changes })
  assert.ok(typeof added === 'object', String(added))
  return added
}

const LESSON = { rule: RULE, format: PIN, by: undefined, milliseconds: HOUR }
const found = ({ lessonCodes }: EngineState, code: string, at = Date.now(), rule = RULE, format = PIN) =>
  lessonCodes.find(rule, format, code, at)?.id
const rightCode = (lessonCode: string) => ({ code: '402931', isOneOfSeveral: false, lockoutMs: HOUR, lessonCode })

for (const { name, skip, create } of databases) {
  describe(`lesson codes, ${name}`, { skip }, () => {
    test('a code is for its rule and format, in every engine with the key, and is not in the database', async (t) => {
      const location = await create(t)
      const folder = temporaryFolder(t)
      const file = join(folder, 'state.key')
      const keys = await ensureKeyFile(file)
      const [one, other] = [await openEngine(t, location, { keys }), await openEngine(t, location, { keys })]
      const { id } = await add(one, '402931')
      await other.sync()
      for (const state of [one, other]) {
        assert.equal(found(state, '402931'), id)
        const now = Date.now()
        assert.deepEqual(
          [found(state, '402932'), found(state, '402931', now, 'other'), found(state, '402931', now, RULE, 7)],
          Array(3).fill(undefined),
        )
        assert.equal(state.lessonCodes.inForce(RULE, PIN, now).length, 1)
        assert.equal(state.lessonCodes.inForce(RULE, 7, now).length, 0)
        assert.equal(state.lessonCodes.inForce('other', PIN, now).length, 0)
      }
      assert.doesNotMatch(JSON.stringify(await query(location, 'select * from engine_lesson_code')), /402931/)
      assert.equal(await one.addLessonCode({ ...LESSON, code: '402931' }), 'exists')
      await add(one, '402931', { rule: 'other' })

      writeFileSync(file, `${randomBytes(32).toString('base64')}\n${readFileSync(file, 'utf8')}`)
      const rotated = await openEngine(t, location, { keys: await ensureKeyFile(file) })
      assert.equal(found(rotated, '402931'), id, 'during a rotation of the key')
      const stranger = await openEngine(t, location, { keys: await newKeys(t) })
      assert.equal(found(stranger, '402931'), undefined)
    })

    test('a session ends no later than its code, by itself', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      const { id, expiresAt } = await add(state, '402931', { milliseconds: HOUR / 2 })
      await state.redeem(redemption({ rightCode: rightCode(id) }))
      const someone = identity('198.51.100.8')
      await state.redeem(redemption({ rightCode: rightCode(id), identity: someone, sessionMs: HOUR / 4 }))
      const [short, long] = await state.sessions({}, 10)
      assert.deepEqual([long?.expiresAt, short?.client], [expiresAt, '198.51.100.8'])
      assert.equal((short?.expiresAt ?? 0) - (short?.startedAt ?? 0), HOUR / 4)
      await pass(HOUR / 2 + 2_000)
      await state.sync()
      assert.equal(found(state, '402931', clock()), undefined)
      assert.equal(state.hasSession(RULE, identity('198.51.100.7')), false)
      assert.deepEqual(await state.lessonCodesInForce(), [])
      const late = await state.redeem(redemption({ rightCode: rightCode(id) }))
      assert.deepEqual(late, { repeated: false, codeEnded: true })
      assert.deepEqual(await state.sessions({}, 10), [])
    })

    test('its end ends the sessions that it opened in every engine, and no others', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      const [one, other] = [await openEngine(t, location, { keys }), await openEngine(t, location, { keys })]
      const { id } = await add(one, '402931')
      const [pupil, teacher, both] = ['198.51.100.7', '198.51.100.8', '198.51.100.9'].map((each) => identity(each))
      assert.ok(pupil && teacher && both)
      for (const identity of [pupil, both]) await other.redeem(redemption({ rightCode: rightCode(id), identity }))
      for (const identity of [teacher, both]) await other.redeem(redemption({ identity, sessionMs: 2 * HOUR }))
      await one.sync()
      assert.equal((await one.endLessonCode(id))?.id, id)
      assert.equal(await one.endLessonCode(id), undefined)
      await other.sync()
      const open = [pupil, teacher, both].map((identity) => other.hasSession(RULE, identity))
      assert.deepEqual(open, [false, true, true], 'the third one was extended by a code of the policy')
      assert.equal(found(other, '402931'), undefined)
      const late = redemption({ rightCode: rightCode(id), identity: pupil })
      assert.deepEqual(await other.redeem(late), { repeated: false, codeEnded: true })
      assert.equal(other.hasSession(RULE, pupil), false)
    })

    test('of one rule at most a hundred', async (t) => {
      const state = await openEngine(t, await create(t))
      for (let number = 0; number < 100; number++) await add(state, `${100_000 + number}`)
      assert.equal(await state.addLessonCode({ ...LESSON, code: '999999' }), 'full')
      await add(state, '999999', { rule: 'other' })
    })
  })
}
