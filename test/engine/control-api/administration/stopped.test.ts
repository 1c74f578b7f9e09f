// The call that lists stopped requests, over both databases: its filters, what else was stopped on the page, and going on.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pseudonymOf, readKeys } from '../../../../src/engine/journal/pseudonyms.ts'
import { databases, query } from '../../../support/databases.ts'
import { rule } from '../../../support/rules.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { policy, type RunningEngine, startEngine } from '../../running-engine.ts'

const DAY = 86_400
const RULES = `
  ${rule('games', 'block', 'match = [".games.example", "cdn.example"]')}
  ${rule('news', 'warn', 'match = ["news.example", ".x.example"]')}
  [rooms]
  "12" = ["192.168.12.0/24", "2001:db8:12::/64"]
`
const journalOf = (keys: string) => policy(`${RULES}\n[journal]\n${keys}`)

type Stop = Readonly<Record<string, unknown>> & { readonly reference: string; readonly host: string | null }
type Found = Readonly<Record<string, unknown>> & { readonly stops: readonly Stop[]; readonly next: string }

async function stopped(engine: RunningEngine, body: object = {}): Promise<Found> {
  const { status, json } = await engine.administer('stopped', body)
  assert.equal(status, 200, JSON.stringify(json))
  return json as Found
}

const hostsOf = ({ stops }: Found) => stops.map(({ host }) => host)

for (const database of databases) {
  const { name, skip, dialect } = database
  describe(`stopped, ${name}`, { skip }, () => {
    const shared = sharedDatabase(database)

    async function start(t: TestContext, keys = '') {
      const location = await shared()
      const engine = await startEngine(t, journalOf(keys), { location, journal: location })
      const stop = async (host: string, client = '192.168.12.7', user?: string) => {
        const { json } = await engine.decide(`https://${host}/path`, client, user)
        await engine.journal?.flush()
        return String(json.reference)
      }
      return { engine, stop }
    }

    test('each filter, and all that are named together', async (t) => {
      const { engine, stop } = await start(t)
      await stop('www.games.example', '192.168.12.7', 'anna')
      engine.pass(60)
      await stop('games.example', '2001:db8:12::7')
      engine.pass(60)
      await stop('news.example', '198.51.100.7', 'ben')
      engine.pass(60)
      const reference = await stop('notgames.x.example', '192.168.13.7', 'anna')
      for (const [body, hosts] of [
        [{}, ['notgames.x.example', 'news.example', 'games.example', 'www.games.example']],
        [{ since: '2027-01-15T08:01:30Z' }, ['notgames.x.example', 'news.example']],
        [{ rule: 'games' }, ['games.example', 'www.games.example']],
        [{ rule: 'game' }, []],
        [{ user: 'ANNA' }, ['notgames.x.example', 'www.games.example']],
        [{ host: 'games.example' }, ['games.example']],
        [{ host: '.games.example' }, ['games.example', 'www.games.example']],
        [{ host: '.game_.example' }, []],
        [{ client: '192.168.12.7' }, ['www.games.example']],
        [{ client: '192.168.12.0/23' }, ['notgames.x.example', 'www.games.example']],
        [{ client: '::ffff:192.168.12.7' }, ['www.games.example']],
        [{ client: '2001:DB8:12:0::/48' }, ['games.example']],
        [{ client: '0.0.0.0/0' }, ['notgames.x.example', 'news.example', 'www.games.example']],
        [{ room: '12' }, ['games.example', 'www.games.example']],
        [{ room: '12', since: '2027-01-15T08:00:30Z' }, ['games.example']],
        [{ reference }, ['notgames.x.example']],
        [{ reference: ` ${reference.slice(0, 4)} ${reference.slice(4, 8)}`.toUpperCase() }, ['notgames.x.example']],
        [{ user: 'anna', host: '.x.example', client: '192.168.13.7' }, ['notgames.x.example']],
        [{ user: 'ben', rule: 'games' }, []],
      ] as const) {
        assert.deepEqual(hostsOf(await stopped(engine, body)), hosts, JSON.stringify(body))
      }
      const two = await stopped(engine, { limit: 2 })
      assert.deepEqual([hostsOf(two), two.more], [['notgames.x.example', 'news.example'], true])
      const [row] = two.stops
      assert.deepEqual(row, {
        ...{ at: '2027-01-15T08:03:00Z', reference, verdict: 'warn', rule: 'news', category: null, list: null },
        ...{ entry: null, host: 'notgames.x.example', client: '192.168.13.7', user: 'anna', group: null },
        ...{ pseudonyms: false, same_page: [] },
      })
      assert.deepEqual(two.kept, { days: 14, person_days: 3, hosts: true })
      for (const body of [
        ...[{ client: 'x' }, { client: '1.2.3.0/99' }, { room: '13' }, { room: '12', client: '10.0.0.0/8' }],
        ...[{ host: '*.x.example' }, { host: 'x.example/y' }, { since: 'today' }, { after: 'x' }, { reference: 'x' }],
        ...[{ limit: 0 }, { limit: 1001 }, { nonsense: 1 }, { user: '-' }],
      ]) {
        assert.equal((await engine.administer('stopped', body)).status, 400, JSON.stringify(body))
      }
    })

    test('what else was stopped on the page: the same client and user, within five seconds', async (t) => {
      const { engine, stop } = await start(t)
      const anna = ['192.168.12.7', 'anna'] as const
      await stop('early.games.example', ...anna)
      engine.pass(6)
      await stop('www.games.example', ...anna)
      await stop('news.example', '192.168.12.7', 'ben')
      await stop('news.example', '192.168.12.8', 'anna')
      engine.pass(4)
      await stop('cdn.example', ...anna)
      await stop('cdn.example', ...anna)
      engine.pass(5)
      await stop('a.games.example', ...anna)
      const { stops } = await stopped(engine, { client: '192.168.12.7', user: 'anna' })
      assert.deepEqual(
        stops.map(({ host, same_page }) => [host, same_page]),
        [
          ['a.games.example', ['cdn.example']],
          ['cdn.example', ['www.games.example', 'a.games.example']],
          ['cdn.example', ['www.games.example', 'a.games.example']],
          ['www.games.example', ['cdn.example']],
          ['early.games.example', []],
        ],
      )
      // Also those that the filter leaves out.
      const [one] = (await stopped(engine, { host: 'www.games.example' })).stops
      assert.deepEqual(one?.same_page, ['cdn.example'])
    })

    test('going on: each row at least once, in the order of time, also in several parts', async (t) => {
      const { engine, stop } = await start(t)
      await stop('first.games.example')
      const first = await stopped(engine, { limit: 1 })
      const names = Array.from({ length: 7 }, (_, number) => `n${number}.games.example`)
      for (const name of names) await stop(name)
      let [after, more] = [first.next, true]
      const found: (string | null)[] = []
      for (let parts = 0; more; parts++) {
        const part = await stopped(engine, { after, limit: 3 })
        found.push(...hostsOf(part))
        ;[after, more] = [part.next, part.more === true]
        assert.ok(parts < 4)
      }
      assert.deepEqual(found.toSorted(), ['first.games.example', ...names])
      // One that another engine wrote late is found, and what is older than ten seconds is not repeated.
      assert.equal((await stopped(engine, { after })).stops.length, 8)
      engine.pass(11)
      const settled = await stopped(engine, { after })
      assert.equal(settled.stops.length, 8)
      assert.deepEqual(hostsOf(await stopped(engine, { after: settled.next })), [])
      assert.deepEqual(hostsOf(await stopped(engine, { after: settled.next, host: 'x.example' })), [])
    })

    test('clients and users that have become pseudonyms are found by their names and networks', async (t) => {
      const { engine, stop } = await start(t, 'days = 30\nperson_days = 1')
      await stop('www.games.example', '192.168.12.7', 'anna')
      await stop('news.example', '192.168.13.7', 'ben')
      engine.pass(2 * DAY)
      await engine.journal?.retain()
      await stop('cdn.example', '192.168.12.7', 'anna')
      for (const [body, hosts] of [
        [{ user: 'anna' }, ['cdn.example', 'www.games.example']],
        [{ client: '192.168.12.7' }, ['cdn.example', 'www.games.example']],
        [{ client: '192.168.12.0/24' }, ['cdn.example', 'www.games.example']],
        [{ room: '12' }, ['cdn.example', 'www.games.example']],
        [{ client: '192.168.0.0/16' }, ['cdn.example', 'news.example', 'www.games.example']],
        [{ client: '192.0.0.0/8' }, ['cdn.example']],
      ] as const) {
        assert.deepEqual(hostsOf(await stopped(engine, body)).toSorted(), hosts, JSON.stringify(body))
      }
      assert.equal((await stopped(engine, { client: '192.0.0.0/8' })).without_pseudonyms, true)
      assert.equal((await stopped(engine, { client: '192.168.0.0/16' })).without_pseudonyms, false)
      const old = (await stopped(engine, { user: 'anna', rule: 'games', host: 'www.games.example' })).stops[0]
      const [key] = (await engine.journal?.read('be read', readKeys)) ?? []
      assert.ok(key)
      const pseudonym = pseudonymOf(key, 'user', 'anna')
      assert.deepEqual([old?.user, old?.pseudonyms], [pseudonym, true])
      assert.deepEqual(hostsOf(await stopped(engine, { user: pseudonym })), ['www.games.example'])
      assert.deepEqual(hostsOf(await stopped(engine, { client: String(old?.client) })), ['www.games.example'])
    })

    test('a network is found however many clients are outside; too many inside are said to be missing', async (t) => {
      const location = await shared()
      const engine = await startEngine(t, journalOf(''), { location, journal: location })
      const { json } = await engine.decide('https://www.games.example/', '192.168.12.7')
      await engine.journal?.flush()
      // In the order of text, they are before it. In SQLite, `||` binds more tightly than `/`.
      const number =
        dialect === 'sqlite'
          ? '(with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 100000) select n from numbers)'
          : '(select n from generate_series(0, 100000) as numbers (n))'
      await query(
        location,
        `insert into journal_stop (at, reference, verdict, rule_name, host, client)
         select 1790000000000 + n, 'r' || n, 'block', 'games', 'x.games.example',
           '10.' || (n / 65536) || '.' || (n / 256 % 256) || '.' || (n % 256) from ${number} as numbered`,
      )
      const room = await stopped(engine, { room: '12' })
      assert.deepEqual(
        room.stops.map(({ reference }) => reference),
        [json.reference],
      )
      assert.equal(room.without_some_clients, false)
      const all = await stopped(engine, { client: '0.0.0.0/0' })
      assert.equal(all.without_some_clients, true)
      const half = await stopped(engine, { client: '10.0.0.0/16' })
      assert.deepEqual([half.stops[0]?.reference, half.without_some_clients], ['r65535', false])
    })

    // The statements of the rest are the same in both dialects.
    if (dialect === 'postgres') return

    test('without hosts the rest is there; without days there is no journal', async (t) => {
      const { engine, stop } = await start(t, 'hosts = false')
      await stop('www.games.example')
      const found = await stopped(engine)
      assert.deepEqual([hostsOf(found), (found.kept as { hosts: boolean }).hosts], [[null], false])
      assert.deepEqual(found.stops[0]?.same_page, [])
      const off = await startEngine(t, journalOf('days = 0'))
      const { status, json } = await off.administer('stopped', {})
      assert.deepEqual([status, json.detail], [409, 'The engine keeps no journal: [journal] days is 0.'])
    })
  })
}

test('a journal whose database fails is named, and why works without it', async (t) => {
  const path = join(temporaryFolder(t), 'missing', 'journal.db')
  const engine = await startEngine(t, journalOf(''), { journal: { dialect: 'sqlite', path } })
  const { json: decided } = await engine.decide('https://www.games.example/x')
  const { status, json } = await engine.administer('stopped', {})
  assert.deepEqual([status, json.detail], [503, "The journal's database does not respond."])
  assert.equal((await engine.administer('why', { reference: decided.reference })).status, 200)
})
