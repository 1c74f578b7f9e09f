// Which handshakes count, for whom, and for how long.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Handshake } from '../../src/proxy/handshakes/handshake-line.ts'
import { createHandshakes } from '../../src/proxy/handshakes/handshakes.ts'

const START = Date.parse('2026-11-26T08:00:00Z')
const [SECOND, DAY] = [1000, 86_400_000]

function counting(limits?: Parameters<typeof createHandshakes>[1]) {
  let now = START
  const handshakes = createHandshakes(() => now, limits)
  return {
    report: () => handshakes.report(),
    of: (host: string) => handshakes.report().hosts.find((one) => one.host === host),
    pass: (milliseconds: number) => (now += milliseconds),
    /** By the last number of each client's address. */
    record(outcome: Handshake['outcome'], host: string, ...clients: readonly number[]) {
      for (const client of clients) handshakes.record({ outcome, host, client: `192.0.2.${client}` })
    },
  }
}

describe('handshakes', () => {
  test('clients are counted, not connections', () => {
    const { record, of } = counting()
    record('broken-off', 'pinned.example', 1, 1, 2)
    assert.equal(of('pinned.example')?.broke_off, 2)
  })

  test('only clients that send requests to another host trust the CA', () => {
    const { record, of, report } = counting()
    record('used', 'news.example', 1, 2, 3)
    record('broken-off', 'pinned.example', 2, 3, 4)
    assert.deepEqual(of('pinned.example'), {
      host: 'pinned.example',
      broke_off: 3,
      silent: 0,
      trusting: 2,
      used: false,
      last_at: '2026-11-26T08:00:00.000Z',
    })
    assert.equal(report().untrusting, 1)
  })

  test('a request from any client, before or after, shows that the host can be decrypted', () => {
    for (const order of [0, 1]) {
      const { record, of } = counting()
      if (order === 0) record('used', 'news.example', 9)
      record('broken-off', 'news.example', 1, 2)
      if (order === 1) record('used', 'news.example', 9)
      assert.deepEqual([of('news.example')?.used, of('news.example')?.broke_off], [true, 2])
    }
  })

  test('a client that completes the handshake is silent only after 30 seconds without a request', () => {
    const { record, of, pass } = counting()
    record('completed', 'pinned.example', 1, 2)
    pass(29 * SECOND)
    assert.equal(of('pinned.example'), undefined)
    pass(SECOND)
    assert.deepEqual([of('pinned.example')?.silent, of('pinned.example')?.broke_off], [2, 0])
    record('used', 'pinned.example', 1)
    assert.deepEqual([of('pinned.example')?.silent, of('pinned.example')?.used], [1, true])
  })

  test('connections that a browser opens ahead of time to a host in use are not counted', () => {
    const { record, of, pass } = counting()
    record('used', 'news.example', 1)
    record('completed', 'news.example', 1, 2)
    pass(60 * SECOND)
    assert.equal(of('news.example'), undefined)
  })

  test('a day later nothing is left', () => {
    const { record, of, report, pass } = counting()
    record('used', 'pinned.example', 1)
    pass(DAY / 2)
    record('broken-off', 'pinned.example', 2)
    assert.equal(of('pinned.example')?.used, true)
    pass(DAY / 2)
    assert.equal(of('pinned.example')?.used, false)
    pass(DAY / 2)
    assert.deepEqual(report().hosts, [])
    assert.deepEqual([report().untrusting, report().since], [0, new Date(START + DAY / 2).toISOString()])
  })

  test('hosts, clients of a host, and clients are bounded: the oldest is forgotten', () => {
    const { record, report, of } = counting({ hosts: 2, clientsPerHost: 2, clients: 1, usedHosts: 1 })
    record('used', 'one.example', 1)
    record('used', 'two.example', 2)
    record('broken-off', 'one.example', 1, 2, 3)
    assert.deepEqual(
      [of('one.example')?.broke_off, of('one.example')?.trusting, of('one.example')?.used],
      [2, 1, false],
    )
    record('broken-off', 'b.example', 1)
    record('broken-off', 'c.example', 1)
    assert.deepEqual(
      report().hosts.map(({ host }) => host),
      ['b.example', 'c.example'],
    )
  })

  test('hosts that nobody can use, and that most trusting clients give up, come first', () => {
    const { record, report } = counting()
    record('used', 'news.example', 1, 2, 3)
    record('broken-off', 'strangers.example', 4, 5, 6)
    record('broken-off', 'news.example', 1, 2, 3, 4)
    record('broken-off', 'pinned.example', 1)
    assert.deepEqual(
      report().hosts.map(({ host }) => host),
      ['pinned.example', 'strangers.example', 'news.example'],
    )
  })

  test('no address of a client is kept or reported', () => {
    const { record, report } = counting()
    record('broken-off', 'pinned.example', 77)
    assert.doesNotMatch(JSON.stringify(report()), /192\.0\.2/)
  })

  test('a flood of hosts and clients takes at most 100 MB, and a report less than a second', {
    timeout: 60_000,
  }, () => {
    const { record, report } = counting()
    const before = process.memoryUsage().heapUsed
    for (let at = 0; at < 60_000; at++) {
      record('broken-off', `host${at % 1500}.example`, at)
      record('used', `used${at}.example`, at)
    }
    assert.ok(report().hosts.length === 200)
    assert.ok(process.memoryUsage().heapUsed - before < 100_000_000)
    const start = performance.now()
    report()
    assert.ok(performance.now() - start < 1000)
  })
})
