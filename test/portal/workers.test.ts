// Several processes on one port: who does what, what one of them takes with it when it dies, and that a ledger in one
// SQLite file stays right.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { VerdictClaims } from '../../src/contract/verdict.ts'
import { query, temporaryFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { answer, answering, startHostileEngine } from '../support/hostile-engine.ts'
import { ACK_TOKEN, claims, SECRET, verdictQuery, verdictTarget } from '../support/payloads.ts'
import { childrenOf, startPortalProcess } from '../support/portal-process.ts'
import { until } from '../support/until.ts'

const YES = answer('302 Found', ['Location: https://news.example/'])
const skip = !existsSync('/proc/self/task') && 'needs Linux: elsewhere nobody tells which processes are whose children'

const ask = (address: string, target: string) =>
  fetch(address + target, { redirect: 'manual', headers: { connection: 'close' }, signal: AbortSignal.timeout(20_000) })

const statuses = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

/** How many were relayed; of the others each had to wait too long for the database, and says so. */
function recorded(answers: readonly number[]): number {
  assert.deepEqual(
    answers.filter((status) => status !== 302 && status !== 503),
    [],
  )
  return answers.filter((status) => status === 302).length
}

function fresh(changes: Partial<VerdictClaims> = {}): VerdictClaims {
  return claims(Math.floor(Date.now() / 1000), changes)
}

function acknowledgement(): string {
  return `/api/captive/ack?${verdictQuery(fresh({ kind: 'aup', ack_token: ACK_TOKEN }))}`
}

test('one worker is the process itself', { skip }, async (t) => {
  const portal = startPortalProcess(t, {})
  await portal.listening
  assert.deepEqual(childrenOf(portal.child.pid as number), [])
})

test('two workers', { skip }, async (t) => {
  const secretFile = join(temporaryFolder(t), 'secret')
  writeFileSync(secretFile, SECRET)
  const engine = await startHostileEngine(t, answering(YES))
  const portal = startPortalProcess(t, {
    GATEWAY_CAPTIVE_WORKERS: '2',
    // A free port would be another one after all workers have ended at once.
    GATEWAY_CAPTIVE_LISTEN_PORT: `${await freePort()}`,
    GATEWAY_CAPTIVE_SHARED_SECRET: '',
    GATEWAY_CAPTIVE_SHARED_SECRET_FILE: secretFile,
    ENGINE_INTERNAL_URL: engine.url,
  })
  const address = await portal.listening
  const primary = portal.child.pid as number
  const workers = () => childrenOf(primary)
  const logged = () => portal.lines.map((line) => JSON.parse(line))
  const database = { dialect: 'sqlite', path: portal.databasePath } as const
  const countRows = async (table: string) => Number((await query(database, `select count(*) as n from ${table}`))[0]?.n)

  await t.test('say once what one says once', () => {
    assert.equal(workers().length, 2)
    const messages = logged().map(({ msg }) => msg)
    for (const start of ['listening', 'ledger open', 'no certificate', 'the ledger is memory-backed']) {
      assert.equal(messages.filter((msg) => msg.startsWith(start)).length, 1, start)
    }
  })

  await t.test('many acknowledgements at once: one row and one attempt for each', async () => {
    const answers = await statuses(Array.from({ length: 100 }, () => ask(address, acknowledgement())))
    assert.deepEqual(await query(database, 'select state, attempts, count(*) as n from acceptance group by 1, 2'), [
      { state: 'accepted', attempts: 1, n: recorded(answers) },
    ])
    assert.equal(await countRows('attempt'), recorded(answers))
  })

  await t.test('one verdict fifty times at once: one row', async () => {
    const before = { acceptance: await countRows('acceptance'), attempt: await countRows('attempt') }
    const target = acknowledgement()
    const answers = await statuses(Array.from({ length: 50 }, () => ask(address, target)))
    assert.equal(await countRows('acceptance'), before.acceptance + 1)
    assert.equal(await countRows('attempt'), before.attempt + recorded(answers))
    assert.deepEqual(
      await query(database, 'select state, attempts from acceptance order by requested_at desc limit 1'),
      [{ state: 'accepted', attempts: recorded(answers) }],
    )
  })

  await t.test('a worker that hangs keeps one connection waiting, and the other serves the rest', async (t) => {
    const [hanging] = workers() as [number]
    process.kill(hanging, 'SIGSTOP')
    t.after(() => process.kill(hanging, 'SIGCONT'))
    let answered = 0
    const answers = Array.from({ length: 10 }, async () => {
      const response = await ask(address, verdictTarget(fresh()))
      answered++
      return response
    })
    await until(() => answered === 9)
    await sleep(100)
    assert.equal(answered, 9)
    process.kill(hanging, 'SIGCONT')
    assert.deepEqual(await statuses(answers), Array(10).fill(200))
  })

  await t.test('one that is killed takes its own requests with it, and is replaced', async () => {
    engine.behave(() => {})
    const asked = engine.connections.length
    const outcomes = Promise.allSettled([ask(address, acknowledgement()), ask(address, acknowledgement())])
    await until(
      () => engine.connections.slice(asked).filter(({ received }) => received().includes('\r\n\r\n')).length === 2,
    )
    const [killed, other] = workers() as [number, number]
    process.kill(killed, 'SIGKILL')
    await until(() => workers().length === 2 && !workers().includes(killed))
    for (const { socket } of engine.connections.slice(asked)) if (!socket.destroyed) socket.write(YES)
    assert.deepEqual((await outcomes).map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    assert.ok(workers().includes(other))
    const told = logged().filter(({ msg }) => msg === 'a worker has ended')
    assert.deepEqual(
      told.map(({ level, worker, signal }) => [level, worker, signal]),
      [[50, killed, 'SIGKILL']],
    )
    engine.behave(answering(YES))
    assert.deepEqual(
      new Set(await statuses(Array.from({ length: 10 }, () => ask(address, acknowledgement())))),
      new Set([302]),
    )
  })

  await t.test('what takes their place starts from the same secrets, whatever is in the file by now', async () => {
    writeFileSync(secretFile, 'a-secret-that-nobody-has-sealed-anything-with')
    const before = workers()
    for (const worker of before) process.kill(worker, 'SIGKILL')
    await until(() => workers().length === 2 && !workers().some((worker) => before.includes(worker)))
    let status = 0
    await until(async () => {
      status = await ask(address, verdictTarget(fresh())).then(
        (response) => response.status,
        () => 0,
      )
      return status !== 0
    })
    assert.equal(status, 200)
  })

  await t.test('SIGTERM, to all of them as systemd sends it, lets both finish', async () => {
    engine.behave((socket) => setTimeout(() => socket.write(YES), 500))
    const asked = engine.connections.length
    await until(() =>
      ask(address, '/healthz').then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    const answers = [ask(address, acknowledgement()), ask(address, acknowledgement())]
    await until(() => engine.connections.length === asked + 2)
    for (const pid of [...workers(), primary]) process.kill(pid, 'SIGTERM')
    assert.deepEqual(await statuses(answers), [302, 302])
    assert.equal(await portal.ended, 0)
    const messages = logged().map(({ msg }) => msg)
    for (const end of ['stopping', 'stopped']) assert.equal(messages.filter((msg) => msg === end).length, 1, end)
  })
})

test('SIGTERM while they start ends all of them, with status 0', { skip }, async (t) => {
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_WORKERS: '2' })
  let workers: readonly number[] = []
  await until(() => {
    workers = childrenOf(portal.child.pid as number)
    return workers.length === 2
  })
  portal.child.kill('SIGTERM')
  assert.equal(await portal.ended, 0)
  assert.ok(!portal.lines.some((line) => line.includes('listening')))
  await until(() => !workers.some((worker) => existsSync(`/proc/${worker}/exe`)))
})

test('a primary that is killed takes its workers with it', { skip }, async (t) => {
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_WORKERS: '2' })
  await portal.listening
  const workers = childrenOf(portal.child.pid as number)
  portal.child.kill('SIGKILL')
  await until(() => !workers.some((worker) => existsSync(`/proc/${worker}/exe`)))
})

test('workers that end again and again end the portal with status 1', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const bomb = join(folder, 'bomb')
  const ignite = [
    'import fs from "node:fs"; import cluster from "node:cluster";',
    `if (cluster.isWorker && fs.existsSync(${JSON.stringify(bomb)})) process.exit(7)`,
  ].join('')
  const options = [`--allow-fs-read=${folder}/*`, '--import', `data:text/javascript,${encodeURIComponent(ignite)}`]
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_WORKERS: '2' }, options)
  const address = await portal.listening
  const [first] = childrenOf(portal.child.pid as number) as [number]
  writeFileSync(bomb, '')
  process.kill(first, 'SIGKILL')
  await until(() => portal.lines.some((line) => line.includes('"status":7')))
  assert.equal((await ask(address, '/healthz')).status, 200)
  assert.equal(await portal.ended, 1)
  const lines = portal.lines.map((line) => JSON.parse(line))
  assert.equal(lines.filter(({ status }) => status === 7).length, 6)
  assert.equal(lines.at(-1).msg, 'workers end again and again; stopping')
})

test('faults of the configuration come once, from the primary', async (t) => {
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_WORKERS: '2', GATEWAY_CAPTIVE_LISTEN_PORT: 'http' })
  assert.equal(await portal.ended, 2)
  assert.match(portal.errors(), /^The configuration has 1 problem:\n[^\n]+\n$/)
})

test('a port that is taken ends the start with status 1', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_WORKERS: '2', GATEWAY_CAPTIVE_LISTEN_PORT: `${port}` })
  assert.equal(await portal.ended, 1)
  assert.ok(portal.lines.some((line) => line.includes('EADDRINUSE')))
})
