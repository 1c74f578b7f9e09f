// /metrics: a real portal counts everything once, under the right name.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { BOUNDS } from '../../../src/portal/monitoring/tally.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { rawResponse, respondWith, startHostileEngine, withoutHealth } from '../../support/hostile-engine.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { acknowledgement, getBytes, PASSPHRASE } from '../acknowledgement/relay.ts'
import { exchange } from '../exchange.ts'
import { type Operations, startOperations, valuesOf } from './operations.ts'

const OFF = { GATEWAY_CAPTIVE_SSL_BUMP: 'off' }
const PREFIX = 'gateway_captive_'

async function scrape({ send }: Operations) {
  const { body } = await send('/metrics')
  return valuesOf(body)
}

/** The metrics that this changes, without durations. */
async function changedBy(operations: Operations, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const [before] = [await scrape(operations), await work()]
  const changes = [...(await scrape(operations))].flatMap(([name, value]) => {
    const change = value - (before.get(name) ?? 0)
    const isOurs = name.startsWith(PREFIX) && !/_(bucket|sum)/.test(name)
    return isOurs && change !== 0 ? [[name.slice(PREFIX.length), change]] : []
  })
  return Object.fromEntries(changes)
}

const request = (route: string, status: number, count = 1) => ({
  [`requests_total{route="${route}",status="${status}"}`]: count,
  [`request_duration_seconds_count{route="${route}"}`]: count,
})

test('Prometheus text: every family once, with help and type', async (t) => {
  const operations = await startOperations(t, { env: OFF })
  const { body } = await operations.send('/metrics')
  const seen = new Set<string>()
  for (const family of body.trim().split('\n\n')) {
    const [, name = ''] =
      /^# HELP ([a-z0-9_]+) \S.*\n# TYPE \1 (?:counter|gauge|histogram|summary)$/m.exec(family) ?? []
    assert.ok(name !== '' && !seen.has(name), family)
    seen.add(name)
    const value = new RegExp(`^${name}(_bucket|_sum|_count)?(\\{[a-z_]+="[^"\\n]*"(,[a-z_]+="[^"\\n]*")*\\})? \\S+$`)
    for (const line of family.split('\n').slice(2)) assert.match(line, value)
  }
  assert.ok(seen.has('process_cpu_seconds_total') && seen.has('nodejs_eventloop_lag_p99_seconds'))
  const { version, type } = operations.portal.config.release
  const info = `${PREFIX}build_info{version="${version}",release_type="${type}",node="${process.version}"}`
  assert.equal(valuesOf(body).get(info), 1)
})

test('pages, refusals and other requests', async (t) => {
  const operations = await startOperations(t, { env: OFF })
  const { portal } = operations
  const target = verdictTarget(claims(NOW))
  assert.deepEqual(await changedBy(operations, () => exchange(portal, target)), {
    ...request('/blocked', 200),
    'verdicts_shown_total{kind="block"}': 1,
  })
  assert.deepEqual(await changedBy(operations, () => exchange(portal, target, {}, 'HEAD')), request('/blocked', 200))
  const nameless = verdictTarget(claims(NOW, { rule_name: '' }))
  assert.deepEqual(await changedBy(operations, () => exchange(portal, nameless)), {
    ...request('/blocked', 403),
    'payload_refusals_total{reason="claim"}': 1,
  })
  const strangers = async () => {
    for (let path = 0; path < 50; path++) await exchange(portal, `/${path}`)
  }
  assert.deepEqual(await changedBy(operations, strangers), request('other', 404, 50))
})

test('acknowledgements and their acceptances', async (t) => {
  const engine = await startHostileEngine(t, respondWith(rawResponse('302 Found', ['Location: https://a.example/'])))
  const operations = await startOperations(t, { env: { ...OFF, ENGINE_INTERNAL_URL: engine.url } })
  const { portal } = operations
  const later = (seconds: number) => portal.setTime(NOW + seconds)
  const accepted = await changedBy(operations, async () => {
    await exchange(portal, acknowledgement().target)
    later(10)
  })
  assert.deepEqual(accepted, {
    ...request('/api/captive/ack', 302),
    'acknowledgements_total{outcome="redirect"}': 1,
    engine_duration_seconds_count: 1,
    record_duration_seconds_count: 1,
    'ledger_decided_total{state="accepted"}': 1,
  })
  engine.behave(withoutHealth((socket) => socket.destroy()))
  const broken = await changedBy(operations, async () => {
    await exchange(portal, acknowledgement().target)
    later(20)
  })
  assert.deepEqual(broken, {
    ...request('/api/captive/ack', 502),
    'acknowledgements_total{outcome="broken"}': 1,
    engine_duration_seconds_count: 1,
    record_duration_seconds_count: 1,
    'ledger_waiting{state="pending"}': 1,
  })
  const unasked = () => exchange(portal, acknowledgement(PASSPHRASE).target)
  assert.deepEqual(await changedBy(operations, unasked), {
    ...request('/api/captive/ack', 400),
    'acknowledgements_total{outcome="codeMalformed"}': 1,
  })
  await portal.ledger.close()
  const failing = await changedBy(operations, async () => {
    await exchange(portal, acknowledgement().target)
    later(30)
  })
  assert.deepEqual(failing, {
    ...request('/api/captive/ack', 503),
    'acknowledgements_total{outcome="recordUnavailable"}': 1,
    record_duration_seconds_count: 1,
    'ledger_write_failures_total{kind="attempts"}': 1,
    'check{check="database"}': -1,
  })
})

test('requests in flight, and browsers that disconnect before the response', async (t) => {
  const engine = await startHostileEngine(
    t,
    withoutHealth(() => {}),
  )
  const operations = await startOperations(t, { env: { ...OFF, ENGINE_INTERNAL_URL: engine.url } })
  const { target } = acknowledgement({ kind: 'warn' })
  const browser = connect(operations.portal.port, '127.0.0.1')
  const relayed = () => engine.connections.find(({ received }) => received().startsWith('GET /api/'))
  const flying = await changedBy(operations, async () => {
    browser.write(getBytes(target))
    await until(relayed)
  })
  assert.deepEqual(flying, { requests_in_flight: 1 })
  const gone = await changedBy(operations, async () => {
    browser.destroy()
    relayed()?.socket.end(rawResponse('302 Found', ['Location: http://a/']))
    await until(() => operations.portal.tally.inFlight === 0)
  })
  assert.deepEqual(gone, {
    ...request('/api/captive/ack', 302),
    requests_in_flight: -1,
    requests_aborted_total: 1,
    'acknowledgements_total{outcome="redirect"}': 1,
    engine_duration_seconds_count: 1,
  })
})

test('a request is counted in the bucket of its duration, and a rejected one by its limit', async (t) => {
  const operations = await startOperations(t, { env: OFF })
  const { portal } = operations
  await exchange(portal, '/healthz')
  portal.tally.shed['event loop'] += 3
  const values = await scrape(operations)
  const name = `${PREFIX}request_duration_seconds`
  const buckets = [...BOUNDS, '+Inf'].map((le) => values.get(`${name}_bucket{route="/healthz",le="${le}"}`))
  const seconds = values.get(`${name}_sum{route="/healthz"}`) ?? assert.fail()
  assert.deepEqual(buckets, [...BOUNDS.map((bound) => (seconds <= bound ? 1 : 0)), 1])
  const { milliseconds } = portal.logged().at(-1) ?? {}
  assert.ok(Math.abs(seconds * 1000 - Number(milliseconds)) < 5)
  assert.equal(values.get(`${PREFIX}shed_total{reason="event loop"}`), 3)
})

test('metrics read at each scrape: certificates, checks and storage', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'ca.crt')
  const env = { GATEWAY_CAPTIVE_CA_PATH: path, GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://' }
  const operations = await startOperations(t, { env })
  const none = await scrape(operations)
  assert.equal(none.get(`${PREFIX}ca_not_after_seconds{certificate="current"}`), undefined)
  assert.equal(none.get(`${PREFIX}check{check="certificate"}`), 0)
  assert.equal(none.get(`${PREFIX}check{check="engine"}`), undefined)
  for (const [file, notAfter] of [
    ['ca.crt', NOW + 1_000],
    ['ca-next.crt', NOW + 9_000],
  ] as const) {
    writeFileSync(join(folder, file), makeCertificate({ notBefore: NOW - 1_000, notAfter }).certificate)
  }
  await operations.portal.certificates.refresh()
  operations.portal.setTime(NOW + 10)
  const values = await scrape(operations)
  assert.equal(values.get(`${PREFIX}ca_not_after_seconds{certificate="current"}`), NOW + 1_000)
  assert.equal(values.get(`${PREFIX}ca_not_after_seconds{certificate="next"}`), NOW + 9_000)
  assert.equal(values.get(`${PREFIX}check{check="certificate"}`), 1)
  assert.equal(values.get(`${PREFIX}ledger_memory_backed`), 1)
})
