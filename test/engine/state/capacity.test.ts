// Without a test's own limits: 200,000 clients whose wrong codes are counted, and 20,000 long URLs.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { databases, query } from '../../support/databases.ts'
import { attempt, HOUR, identity, newKeys, openEngine } from './fixture.ts'

const { create } = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const NUMBERS = (rows: number) =>
  `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})`

/** A state whose tables are filled before it opens. */
async function filled(t: TestContext, statements: (expiresAt: number) => string) {
  const location = await create(t)
  const keys = await newKeys(t)
  await (await openEngine(t, location, { keys })).close()
  if (location.dialect !== 'sqlite') assert.fail()
  using database = new DatabaseSync(location.path)
  database.exec(`pragma synchronous = off; ${statements(Date.now() + 365 * 24 * HOUR)}`)
  const open = () => openEngine(t, location, { keys })
  return { open, location }
}

test('wrong codes are counted for 200,000 clients', async (t) => {
  const { open } = await filled(
    t,
    (
      expiresAt,
    ) => `${NUMBERS(199_999)} insert into engine_attempt (holder, rule_name, used, allowed, recent, expires_at)
      select printf('client %07d', n), 'video', 1, 5, '', ${expiresAt} from numbers`,
  )
  const state = await open()
  const kinds: string[] = []
  for (const last of [1, 2, 1]) {
    const guess = attempt(`${kinds.length}111`, { identity: identity(`198.51.100.${last}`) })
    kinds.push((await state.reserveAttempt(guess)).kind)
  }
  assert.deepEqual(kinds, ['reserved', 'full', 'reserved'])
})

test('20,000 long URLs are kept', async (t) => {
  const { open, location } = await filled(
    t,
    (expiresAt) => `${NUMBERS(19_990)} insert into engine_url (digest, url, expires_at)
      select 'digest ' || n, 'https://news.example/', ${expiresAt} from numbers`,
  )
  const state = await open()
  for (let number = 0; number < 40; number++) {
    state.rememberUrl({ digest: `new ${number}`, url: 'https://news.example/', milliseconds: HOUR })
  }
  await state.close()
  assert.deepEqual(await query(location, 'select count(*) as n from engine_url'), [{ n: 20_000 }])
})
