// `engine stopped` and `why` from the journal, against engines with a journal; `checks/programs/follow.test.ts` has the process.
// The queries over every database are in test/engine/control-api/administration/stopped.test.ts.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { callEngine } from '../../../src/gatewayctl/engine/client.ts'
import { findEngine } from '../../../src/gatewayctl/engine/connection.ts'
import { followStops } from '../../../src/gatewayctl/engine/follow-stops.ts'
import { RULES } from '../../engine/control-api/administration/policy.ts'
import { databases } from '../../support/databases.ts'
import { HOSTILE_RULE, HOSTILE_USER } from '../../support/hostile.ts'
import { rule } from '../../support/rules.ts'
import { until } from '../../support/until.ts'
import { createContext } from '../gatewayctl.ts'
import { type AdministeredEngine, startAdministered } from './against-engine.ts'

const POLICY = `${RULES}
  ${rule('shop', 'block', 'match = [".shop.example", "cdn.example"]')}
  [rooms]
  "12" = ["198.51.100.0/24"]
`

const create = databases.find(({ name }) => name === 'SQLite')?.create ?? assert.fail()

async function start(t: TestContext, keys = ''): Promise<AdministeredEngine & { stop: Stop }> {
  const location = await create(t)
  const journal = keys === 'days = 0' ? {} : { journal: location }
  const engine = await startAdministered(t, `${POLICY}[journal]\n${keys}\n`, { location, ...journal })
  return { ...engine, stop: stopIn(engine) }
}

type Stop = ReturnType<typeof stopIn>

function stopIn(engine: AdministeredEngine) {
  return async (host: string, client = '198.51.100.7', user?: string): Promise<string> => {
    const { json } = await engine.decide(`https://${host}/secret-path`, client, user)
    await engine.journal?.flush()
    return String(json.reference)
  }
}

const grouped = (reference: string) => reference.match(/.{1,4}/g)?.join(' ')

test('the newest first, with the page’s other names once, and as JSON', async (t) => {
  const { run, pass, stop } = await start(t)
  const references = [await stop('www.shop.example', '198.51.100.7', 'anna')]
  pass(2)
  references.push(await stop('cdn.example', '198.51.100.7', 'anna'))
  pass(60)
  references.push(await stop('evil.example', '198.51.100.9', HOSTILE_USER))
  const { status, stdout, stderr } = await run(['stopped', '--since', '2027-01-15T08:00Z'])
  assert.equal(status, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  assert.match(lines[0] ?? '', /^at +verdict +rule +host +client +user +reference$/)
  assert.ok(lines[1]?.endsWith(`${grouped(references[2] ?? '')}`), stdout)
  const columns = 'block {4}shop +HOST {1,}198.51.100.7 {2}anna +'
  assert.match(lines[2] ?? '', new RegExp(`^2027-01-15 09:00:02 {2}${columns.replace('HOST', 'cdn.example')}`))
  assert.equal(lines[3], '  same page: www.shop.example')
  assert.match(lines[4] ?? '', new RegExp(`^2027-01-15 09:00:00 {2}${columns.replace('HOST', 'www.shop.example')}`))
  assert.equal(lines.length, 5, 'the page is not repeated')
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{C}/u)
  assert.equal(stderr, '3 in all. To explain one: gatewayctl engine why --reference REFERENCE\n')

  const json = JSON.parse((await run(['stopped', '--room', '12', '--rule', 'shop', '--limit', '1', '--json'])).stdout)
  assert.deepEqual(Object.keys(json), ['stops', 'more', 'without_pseudonyms', 'without_some_clients', 'kept'])
  assert.deepEqual([json.more, json.stops.length], [true, 1])
  const { at: _, ...row } = json.stops[0]
  assert.deepEqual(row, {
    ...{ reference: references[1], verdict: 'block', rule: 'shop', category: null, list: null, entry: null },
    ...{ host: 'cdn.example', client: '198.51.100.7', user: 'anna', group: null, pseudonyms: false },
    same_page: ['www.shop.example'],
  })
  const some = await run(['stopped', '--user', 'Anna', '--host', '.shop.example', '--client', '198.51.0.0/16'])
  assert.equal(some.stdout.trimEnd().split('\n').length, 3)
  const dictated = `${grouped(references[2]?.slice(0, 8) ?? '')?.toLowerCase()}`.split(' ')
  const one = await run(['stopped', '--reference', ...dictated, '--json'])
  assert.equal(JSON.parse(one.stdout).stops[0].rule, HOSTILE_RULE)
})

test('what is missing, and by which setting', async (t) => {
  const nothing = await (await start(t)).run(['stopped'])
  assert.deepEqual(nothing, {
    ...{ status: 0, stdout: '' },
    stderr: 'No stopped request matches. The journal keeps 14 days.\n',
  })
  const { run, stop } = await start(t, 'hosts = false\ndays = 1\nperson_days = 1')
  const reference = await stop('www.shop.example')
  const hosts = await run(['stopped'])
  assert.match(hosts.stdout, /^at .*\n2027-01-15 09:00:00 {2}block {4}shop {2}- +198\.51\.100\.7 /)
  assert.match(hosts.stderr, /\nThe journal keeps no hosts \(\[journal\] hosts = false\)\.\n$/)
  assert.equal((await run(['stopped', '--reference', reference, '--host', 'x.example'])).stdout, '')
  const off = await start(t, 'days = 0')
  const { status, stderr } = await off.run(['stopped', '--follow'])
  assert.deepEqual([status, stderr], [1, 'error: the engine: The engine keeps no journal: [journal] days is 0.\n'])
  for (const args of [
    ...[
      ['--client', 'x'],
      ['--room', '99'],
      ['--host', '*'],
      ['--since', 'today'],
      ['--limit', '0'],
    ],
    ...[['--reference', 'x'], ['--room', '12', '--client', '10.0.0.0/8'], ['nonsense']],
  ]) {
    assert.equal((await run(['stopped', ...args])).status, 2, args.join(' '))
  }
})

test('following yields what comes, once and in order, also what is written late, and waits for an engine that restarts', async (t) => {
  const engine = await start(t)
  await engine.stop('old.shop.example')
  const { context } = createContext({})
  const [, , , tokenFile = '', , caFile = ''] = engine.options
  const connect = (port: number) => findEngine(context, { engine: `https://127.0.0.1:${port}`, tokenFile, caFile })
  const [connection, nobody] = [await connect(engine.port), await connect(1)]
  const remarks: string[] = []
  let isAway = false
  const call = (after?: string) =>
    callEngine(isAway ? nobody : connection, 'stopped', { host: '.shop.example', limit: 20, after })
  const shown: (string | null)[] = []
  const following = followStops(await call(), call, (text) => remarks.push(text), 10)
  const next = async () => {
    const { value } = await following.next()
    for (const { host } of value) shown.push(host)
  }
  await next()
  await engine.stop('first.shop.example')
  await engine.stop('news.example')
  await next()
  engine.pass(30)
  await engine.stop('second.shop.example')
  await next()
  // Written late, by another engine whose clock is slow.
  await engine.journal?.change('be written', (transaction) =>
    transaction
      .insertInto('journal_stop')
      .values({
        ...{ at: (1_800_000_000 + 22) * 1000, reference: 'x'.repeat(22), verdict: 'block', rule_name: 'shop' },
        ...{ host: 'late.shop.example', client: '198.51.100.7' },
      })
      .execute(),
  )
  await next()
  isAway = true
  await engine.stop('third.shop.example')
  const third = next()
  await until(() => remarks.length === 1)
  isAway = false
  await third
  assert.deepEqual(
    shown,
    ['old', 'first', 'second', 'late', 'third'].map((name) => `${name}.shop.example`),
  )
  assert.match(remarks.join('\n'), /^no response from https:.*; trying again each second\nThe engine responds again\.$/)
})

describe('why after a restart', () => {
  async function two(t: TestContext, keys = '') {
    const location = await create(t)
    const toml = `${POLICY}[journal]\n${keys}\n`
    const before = await startAdministered(t, toml, { location, journal: location })
    const after = await startAdministered(t, toml, { location, journal: location })
    return { before, after, stop: stopIn(before) }
  }

  test('the journal’s row: the host, what decided then, and whether it was acknowledged', async (t) => {
    const { before, after, stop } = await two(t)
    const query = await before.verdict('https://lab.example/secret-path', '198.51.100.7', 'anna')
    await before.acknowledge(query, '11111')
    await before.acknowledge(query, '80361')
    await before.journal?.flush()
    const [row] = JSON.parse((await after.run(['stopped', '--json'])).stdout).stops
    const { status, stdout, stderr } = await after.run([
      'why',
      '--reference',
      ...`${grouped(row.reference)}`.split(' '),
    ])
    assert.equal(status, 0, stderr)
    const line = RULES.split('\n').findIndex((text) => text.includes('"lab"'))
    assert.ok(
      stdout.startsWith(`\
https://lab.example/ was stopped until a policy is accepted.

client    198.51.100.7
user      anna
path      not in the journal: this is about the host, and a rule that names a path may decide otherwise
time      2027-01-15 09:00:00
then      aup by the rule lab
visitor   acknowledged at 20`),
      stdout,
    )
    assert.match(stdout, /\nvisitor {3}acknowledged at 20[\d: -]+, which opened it until 20[\d: -]+; 1 wrong code\n/)
    assert.match(stdout, new RegExp(`\nbecause {3}the rule lab \\(line ${line}\\), by its pattern lab\\.example\n`))
    assert.doesNotMatch(stdout, /secret-path/)
    // In the engine that stopped it, with the path.
    const own = await before.run(['why', '--reference', row.reference.slice(0, 8).toUpperCase()])
    assert.match(own.stdout, /^https:\/\/lab\.example\/secret-path was stopped/)
    assert.match(own.stdout, /\nvisitor {3}acknowledged at .*; 1 wrong code\n/)

    const blocked = await stop('www.shop.example')
    const json = JSON.parse((await after.run(['why', '--reference', blocked, '--json'])).stdout)
    assert.deepEqual(json.stopped, {
      ...{ reference: blocked, at: '2027-01-15T08:00:00Z', verdict: 'block', rule: 'shop' },
      ...{ pattern: null, list: null, entry: null, from: 'journal', client: '198.51.100.7', user: null },
      ...{ pseudonyms: false, acknowledgements: [] },
    })
    assert.equal(json.request.url, 'https://www.shop.example/')
    const unknown = await after.run(['why', '--reference', 'abcd efgh'])
    assert.match(unknown.stderr, /is in the journal, which keeps 14 days, or among the last 10,000 /)
  })

  test('several that may be meant are listed; exactly one of them is that', async (t) => {
    const { after, before } = await two(t)
    const references = ['AbCd-fGh', 'aBcD-FgH'].map((start) => start.padEnd(22, '1'))
    await before.journal?.change('be written', async (transaction) => {
      for (const reference of references) {
        const row = { verdict: 'block', rule_name: 'shop', host: 'cdn.example', client: '198.51.100.7' } as const
        await transaction
          .insertInto('journal_stop')
          .values({ at: 1_800_000_000_000, reference, ...row })
          .execute()
      }
    })
    const both = await after.run(['why', '--reference', 'abcd', '-fgh', '--json'])
    assert.equal(both.status, 1)
    assert.match(both.stderr, /^error: the engine: 2 references begin like this, in capitals or small letters:\n/)
    for (const reference of references) {
      assert.ok(both.stderr.includes(`${reference}  2027-01-15T08:00:00Z  198.51.100.7  cdn.example\n`))
      assert.equal((await after.run(['why', '--reference', reference])).status, 0)
    }
  })

  test('with pseudonyms and without hosts it says so', async (t) => {
    const { before, after, stop } = await two(t, 'days = 30\nperson_days = 1')
    const reference = await stop('www.shop.example', '198.51.100.7', 'anna')
    before.pass(2 * 86_400)
    await before.journal?.retain()
    const { stdout, stderr } = await after.run(['why', '--reference', reference])
    assert.match(
      stdout,
      /\nclient {4}~[\w-]{22} \(a pseudonym: rules that name clients, rooms, users or groups do not match\)\n/,
    )
    assert.match(stdout, /\nuser {6}~[\w-]{22}\npath /)
    assert.match(stdout, /\nthen {6}block by the rule shop\n/)
    assert.match(stderr, /^To open it at once/)

    const bare = await two(t, 'hosts = false')
    const hostless = await bare.stop('www.shop.example')
    const refused = await bare.after.run(['why', '--reference', hostless])
    assert.equal(refused.status, 1)
    assert.match(
      refused.stderr,
      /It was stopped at 2027-01-15T08:00:00Z by the rule "shop" \(block\), for 198\.51\.100\.7\. The journal has no host of it \(\[journal\] hosts = false\)/,
    )
  })
})
