// `engine stopped` and `why` from the journal, by the program, against engines with a journal.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { RULES } from '../../engine/control-api/administration/policy.ts'
import { databases } from '../../support/databases.ts'
import { HOSTILE_RULE, HOSTILE_USER } from '../../support/hostile.ts'
import { rule } from '../../support/rules.ts'
import { until } from '../../support/until.ts'
import { ended, startGatewayctl } from '../gatewayctl.ts'
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

/** What the engine's port is while it restarts. */
async function startRelay(t: TestContext, target: number) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const outgoing = connect(target, '127.0.0.1')
    for (const one of [socket, outgoing]) {
      sockets.add(one.on('error', () => {}).on('close', () => sockets.delete(one)))
    }
    socket.pipe(outgoing).pipe(socket)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const stop = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  t.after(stop)
  return { port, stop, start: () => listen(port) }
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
  assert.match(lines[2] ?? '', new RegExp(`^2027-01-15T08:00:02Z {2}${columns.replace('HOST', 'cdn.example')}`))
  assert.equal(lines[3], '  same page: www.shop.example')
  assert.match(lines[4] ?? '', new RegExp(`^2027-01-15T08:00:00Z {2}${columns.replace('HOST', 'www.shop.example')}`))
  assert.equal(lines.length, 5, 'the page is not repeated')
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{C}/u)
  assert.equal(stderr, '3 in all. To explain one: gatewayctl engine why --reference REFERENCE\n')

  const json = JSON.parse((await run(['stopped', '--room', '12', '--rule', 'shop', '--limit', '1', '--json'])).stdout)
  assert.deepEqual(Object.keys(json), ['stops', 'more', 'without_pseudonyms', 'kept'])
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
  assert.match(hosts.stdout, /^at .*\n2027-01-15T08:00:00Z {2}block {4}shop {2}- +198\.51\.100\.7 /)
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

test('--follow prints what comes, once and in order, over a restart, until it is interrupted', async (t) => {
  const engine = await start(t)
  await engine.stop('old.shop.example')
  const relay = await startRelay(t, engine.port)
  const options = engine.options.with(1, `https://127.0.0.1:${relay.port}`)
  const child = startGatewayctl(['engine', 'stopped', '--follow', '--host', '.shop.example', ...options])
  const finished = ended(child)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const shown = () => [...stdout.matchAll(/ (\w+)\.shop\.example /g)].map(([, name]) => name)
  await until(() => shown().length === 1, 30)
  await engine.stop('first.shop.example')
  await engine.stop('news.example')
  engine.pass(1)
  await engine.stop('second.shop.example')
  await until(() => shown().length === 3, 30)
  engine.pass(30)
  await engine.stop('third.shop.example')
  await until(() => shown().length === 4, 30)
  // Written late, by another engine whose clock is slow.
  const at = (1_800_000_000 + 23) * 1000
  await engine.journal?.change('be written', (transaction) =>
    transaction
      .insertInto('journal_stop')
      .values({
        ...{ at, reference: 'x'.repeat(22), verdict: 'block', rule_name: 'shop', host: 'late.shop.example' },
        client: '198.51.100.7',
      })
      .execute(),
  )
  await until(() => shown().length === 5, 30)
  await relay.stop()
  await until(() => stderr.includes('trying again each second'), 30)
  await relay.start()
  await until(() => stderr.includes('The engine responds again.'), 30)
  await engine.stop('fourth.shop.example')
  await until(() => shown().length === 6, 30)
  child.kill('SIGINT')
  const { status } = await finished
  assert.equal(status, 130)
  assert.deepEqual(shown(), ['old', 'first', 'second', 'third', 'late', 'fourth'])
  assert.equal(stdout.match(/^at /gm)?.length, 1, 'one heading')
  assert.match(stderr, /^no response from https:.*; trying again each second\nThe engine responds again\.\n$/)
})

test('--follow --json prints a document per line, and ends with its reader', async (t) => {
  const engine = await start(t)
  await engine.stop('one.shop.example')
  engine.pass(1)
  const shell = '"$@" | head -n 2'
  const child = startGatewayctl(['engine', 'stopped', '--follow', '--json', ...engine.options], { shell })
  const finished = ended(child)
  const stopping = setInterval(() => void engine.stop('two.shop.example'), 300)
  const { stdout, stderr } = await finished.finally(() => clearInterval(stopping))
  const hosts = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).host)
  assert.deepEqual([hosts, stderr], [['one.shop.example', 'two.shop.example'], ''])
})

for (const { name, skip, create } of databases) {
  describe(`why after a restart, ${name}`, { skip }, () => {
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
time      2027-01-15T08:00:00Z
then      aup by the rule lab
visitor   acknowledged at 20`),
        stdout,
      )
      assert.match(
        stdout,
        /\nvisitor {3}acknowledged at 20[\dT:Z-]+, which opened it until 20[\dT:Z-]+; 1 wrong code\n/,
      )
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
}
