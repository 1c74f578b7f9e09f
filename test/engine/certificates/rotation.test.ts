// The interception CA gives way to the next one: announced first, used later, and never with a gap.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { UnusableCa } from '../../../src/engine/certificates/ca.ts'
import type { ControlCertificate } from '../../../src/engine/certificates/publish.ts'
import { createPublish, startRepublishing } from '../../../src/engine/certificates/republish.ts'
import { rotateCa } from '../../../src/engine/certificates/rotate.ts'
import { startControlServer } from '../../../src/engine/control-api/server.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { SECRET } from '../../support/payloads.ts'
import { DAY_MS, startPublishing } from '../publishing.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

async function startRotating(t: TestContext) {
  const publishing = await startPublishing(t)
  const { folder, read, publish } = publishing
  return {
    ...publishing,
    certificate: async (name: string) => new X509Certificate(await read(name)),
    publishAt: (now: number, control?: Parameters<typeof publish>[1]) => publish({ clock: () => now }, control),
    rotate: (days: number, now = NOW) => rotateCa({ folder, organisation: 'Northwind' }, days, now),
  }
}

test('the next CA is announced while the current one signs, and replaces it on its day', async (t) => {
  const { path, read, certificate, publishAt, rotate } = await startRotating(t)
  await publishAt(NOW)
  const [first, firstKey, leaf] = await Promise.all(['ca/ca.crt', 'engine/ca.key', 'terminator/portal.crt'].map(read))
  const told = await rotate(30)
  const next = await certificate('ca/ca-next.crt')
  assert.match(
    told,
    /ca-next\.crt\nSHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}\nIt is valid from 2026-12-21T11:00:00Z on, and used an hour later/,
  )
  assert.ok(told.includes(next.fingerprint256))
  assert.equal(next.validFromDate.getTime(), NOW + 30 * DAY_MS - 3_600_000, 'valid an hour earlier, for slow clocks')
  assert.ok(next.ca && next.checkIssued(next))
  assert.notEqual(next.subject, (await certificate('ca/ca.crt')).subject, 'a trust store shows which is which')
  assert.equal((await stat(path('ca/ca-next.crt'))).mode & 0o777, 0o644)
  assert.equal((await stat(path('engine/ca-next.key'))).mode & 0o777, 0o600)

  await publishAt(NOW + 30 * DAY_MS - 1)
  assert.equal(await read('ca/ca.crt'), first)
  assert.equal(await read('terminator/portal.crt'), leaf, 'the old leaf serves on')

  const nextKey = await read('engine/ca-next.key')
  await publishAt(NOW + 30 * DAY_MS)
  assert.equal((await certificate('ca/ca.crt')).fingerprint256, next.fingerprint256)
  assert.equal(await read('engine/ca.key'), nextKey)
  assert.notEqual(nextKey, firstKey)
  assert.deepEqual(await readdir(path('ca')), ['ca.crt'])
  assert.deepEqual(await readdir(path('engine')), ['ca.key'])
  const renewed = await certificate('terminator/portal.crt')
  assert.ok(renewed.checkIssued(next) && renewed.verify(next.publicKey))
  assert.ok(renewed.validFromDate >= next.validFromDate)
})

test('the control API has a certificate of the next CA five minutes before its day: every reader has read it by then', async (t) => {
  const { path, read, certificate, publishAt, rotate } = await startRotating(t)
  let presented = await publishAt(NOW)
  await rotate(30)
  const next = await certificate('ca/ca-next.crt')
  const day = NOW + 30 * DAY_MS
  const isFromNext = async () => (await certificate('control/control.pem')).verify(next.publicKey)
  await publishAt(day - 301_000)
  assert.equal(await isFromNext(), false)
  const inUse = () => readFileSync(path('ca/ca.crt'), 'utf8')
  const before = inUse()
  const seen: string[] = []
  const useCertificate = (issued: ControlCertificate) => {
    presented = issued
    seen.push(inUse())
  }
  await publishAt(day - 300_000, { certificate: presented, useCertificate })
  assert.deepEqual(
    [await isFromNext(), seen, inUse()],
    [true, [before], before],
    'the current CA signs everything else',
  )
  assert.ok(new X509Certificate(presented.cert).verify(next.publicKey))
  const prepared = await read('control/control.pem')
  await publishAt(day)
  assert.equal(await read('control/control.pem'), prepared)
})

test('a second announcement, one without a CA, and one without its key are rejected', async (t) => {
  const { path, publishAt, rotate } = await startRotating(t)
  const rejected = (attempt: Promise<unknown>, message: RegExp) =>
    assert.rejects(attempt, (error) => error instanceof UnusableCa && message.test(error.message))
  await rejected(rotate(30), /ca\.crt does not exist yet$/)
  await publishAt(NOW)
  await rotate(30)
  await rejected(rotate(10), /ca-next\.crt exists already; it is valid from 2026-12-21T11:00:00Z on$/)
  await rm(path('engine/ca-next.key'))
  await rejected(publishAt(NOW), /ca-next\.crt exists, but .*ca-next\.key is missing$/)
  await writeFile(path('engine/ca-next.key'), 'garbage')
  await rejected(publishAt(NOW), /ca-next\.key is not a private key$/)
})

test('removing its certificate cancels an announcement; an expired CA is replaced immediately', async (t) => {
  const { path, read, certificate, publishAt, rotate } = await startRotating(t)
  await publishAt(NOW)
  const first = await read('ca/ca.crt')
  await rotate(1)
  await rm(path('ca/ca-next.crt'))
  await publishAt(NOW + 2 * DAY_MS)
  assert.equal(await read('ca/ca.crt'), first)
  await rotate(3)
  await publishAt(NOW + 3 * DAY_MS)
  assert.notEqual((await certificate('ca/ca.crt')).fingerprint256, new X509Certificate(first).fingerprint256)
  const later = NOW + 4_000 * DAY_MS
  await assert.rejects(publishAt(later), /ca\.crt is not valid at this time$/)
  await rotate(0, later)
  await publishAt(later)
  assert.ok((await certificate('ca/ca.crt')).validToDate.getTime() > later)
})

test('a running engine publishes what is due, and survives failures', async (t) => {
  const { folder, path, read, publishAt, rotate } = await startRotating(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const server = await startControlServer({
    certificate: await publishAt(NOW),
    host: '127.0.0.1',
    port: 0,
    listener: (_, response) => response.end(),
  })
  t.after(() => server.stop())
  const { cert } = server.certificate
  let now = NOW
  const { promise: complained, resolve } = Promise.withResolvers<string>()
  const log = pino({ base: null, timestamp: false, level: 'error' }, { write: resolve })
  const options = { folder, organisation: 'Northwind', portalHost: 'portal.example', controlNames: [] }
  const publish = createPublish({ ...options, clock: () => now }, log)
  let published: Promise<unknown> | undefined
  const stop = startRepublishing((control) => (published = publish(control)), server, log)
  assert.match(
    await rotate(0),
    /\nIt is in use within a minute\. Devices that do not trust it yet show certificate errors/,
  )
  now += 60_000
  t.mock.timers.tick(60_000)
  await published
  assert.notEqual(server.certificate.cert, cert)
  assert.ok(!(await readdir(path('engine'))).includes('ca-next.key'))
  assert.deepEqual(await readdir(path('ca')), ['ca.crt'])

  const ca = await read('ca/ca.crt')
  await writeFile(path('ca/ca.crt'), 'garbage')
  t.mock.timers.tick(60_000)
  assert.match(await complained, /"message":"\S+ca\.crt is not a CA certificate"/)
  await writeFile(path('ca/ca.crt'), ca)
  stop()
})

test('the rotation command', { timeout: 30_000 }, async (t) => {
  const { folder, path, publish, certificate } = await startRotating(t)
  await writeFile(path('secret'), SECRET)
  const secrets = ['--secret-file', path('secret'), '--api-token-file', path('secret')]
  const files = ['--config', 'src/engine/sample-policy.toml', '--publish', folder, ...secrets]
  const run = (days: string) => {
    const words = ['src/engine/main.ts', ...files, '--rotate-ca', days]
    return spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 20_000, env: COMPILE_CACHE })
  }
  await publish()
  const wrong = run('366')
  assert.equal(wrong.status, 2)
  assert.match(wrong.stderr, /^Option '--rotate-ca/)
  const { status, stdout, stderr } = run('30')
  assert.deepEqual([status, stderr], [0, ''])
  assert.ok(stdout.includes((await certificate('ca/ca-next.crt')).fingerprint256))
  const again = run('30')
  assert.deepEqual([again.status, again.stdout], [1, ''])
  assert.match(again.stderr, /ca-next\.crt exists already; it is valid from \S+ on\n$/)
})
