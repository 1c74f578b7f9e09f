// Handshakes on decrypted connections: what Squid's lines about them mean, which count, for whom and for how long, and the file in
// which they are reported.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type Handshake, parseHandshakeLine } from '../../src/proxy/handshakes/handshake-line.ts'
import { startHandshakeLog } from '../../src/proxy/handshakes/handshake-log.ts'
import { createHandshakes, type HandshakeReport } from '../../src/proxy/handshakes/handshakes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

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

// As Squid 5.7 and 6.13 write them.
describe('lines about handshakes', () => {
  const parse = parseHandshakeLine
  const pinned = (outcome: Handshake['outcome']): Handshake => ({
    client: '192.0.2.7',
    host: 'pinned.example',
    outcome,
  })
  const connect = (error: string, detail: string) => parse(`192.0.2.7 ${error} ${detail} CONNECT pinned.example`)

  test('what the client does', () => {
    assert.deepEqual(connect('-', '-'), pinned('completed'))
    for (const [reason, detail] of Object.entries({
      'unknown CA': 'SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000418+TLS_IO_ERR=1',
      'certificate unknown': 'SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000416+TLS_IO_ERR=1',
      'bad certificate': 'SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000412+TLS_IO_ERR=1',
      closed: 'SQUID_TLS_ERR_ACCEPT+TLS_IO_ERR=5',
    })) {
      assert.deepEqual(connect('ERR_SECURE_ACCEPT_FAIL', detail), pinned('broken-off'), reason)
    }
    assert.deepEqual(parse('192.0.2.7 - - GET pinned.example'), pinned('used'))
    // Also one that is refused.
    assert.deepEqual(parse('192.0.2.7 503:ERR_DNS_FAIL - POST pinned.example'), pinned('used'))
  })

  test('what says nothing about the client’s trust', () => {
    for (const [reason, error, detail] of [
      ['an old version of TLS', 'ERR_SECURE_ACCEPT_FAIL', 'SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000102+TLS_IO_ERR=1'],
      ['the origin’s certificate', 'ERR_SECURE_CONNECT_FAIL', 'SQUID_X509_V_ERR_DOMAIN_MISMATCH+broken_cert'],
      ['no TLS', 'ERR_PROTOCOL_UNKNOWN', 'exception=18686e4e'],
      ['closed before it began', 'ERR_CLIENT_GONE', 'WITH_CLIENT'],
      ['denied', 'ERR_ACCESS_DENIED', '-'],
    ] as const) {
      assert.equal(connect(error, detail), undefined, reason)
    }
  })

  test('a host is a name, in canonical form', () => {
    assert.equal(parse('192.0.2.7 - - CONNECT News.EXAMPLE.')?.host, 'news.example')
    const addresses = ['192.0.2.9', '2001:db8::1', '[2001:db8::1]']
    const others = ['-', 'a%22b%5Cc%20d%0Ae.example', 'a"b', '%0a', 'a..b', '*', '.bank.example', 'x'.repeat(300)]
    for (const host of [...addresses, ...others]) {
      assert.equal(parse(`192.0.2.7 - - CONNECT ${host}`), undefined, host)
    }
  })

  test('nothing with other fields', () => {
    for (const line of ['', '192.0.2.7 - - CONNECT', '192.0.2.7 - - CONNECT a.example b.example']) {
      assert.equal(parse(line), undefined, line)
    }
  })
})

describe('handshakes.json', () => {
  async function startedLog(t: TestContext, clock = Date.now) {
    const folder = temporaryFolder(t)
    const complaints: string[] = []
    const report = (line: string) => complaints.push(line)
    const log = await startHandshakeLog({ folder, clock, milliseconds: 10, report })
    t.after(() => log.stop())
    const socket = createSocket('udp4').unref()
    t.after(async () => socket.close())
    const path = join(folder, 'handshakes.json')
    return {
      ...{ folder, path, complaints },
      read: (): HandshakeReport => JSON.parse(readFileSync(path, 'utf8')),
      send: (line: string, token = log.target.token) => socket.send(`${token} ${line}\n`, log.target.port, '127.0.0.1'),
    }
  }
  const FAILED = 'ERR_SECURE_ACCEPT_FAIL SQUID_TLS_ERR_ACCEPT+TLS_IO_ERR=5 CONNECT pinned.example'

  test('the file exists from the start, and follows what arrives', async (t) => {
    const { path, read, send } = await startedLog(t)
    await until(() => read().hosts.length === 0)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    send(`192.0.2.7 ${FAILED}`, 'another')
    send(`192.0.2.8 ${FAILED}`)
    await until(() => read().hosts.length === 1)
    assert.equal(read().hosts[0]?.broke_off, 1)
  })

  test('it is rewritten each minute', async (t) => {
    let now = Date.parse('2026-11-26T08:00:00Z')
    const { read } = await startedLog(t, () => now)
    await until(() => read().at === '2026-11-26T08:00:00.000Z')
    now += 59_000
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(read().at, '2026-11-26T08:00:00.000Z')
    now += 1000
    await until(() => read().at === '2026-11-26T08:01:00.000Z')
  })

  test('a file that cannot be written is reported once', async (t) => {
    const { folder, complaints, send } = await startedLog(t)
    await until(() => statSync(join(folder, 'handshakes.json'), { throwIfNoEntry: false }) !== undefined)
    rmSync(folder, { recursive: true })
    for (const client of [1, 2, 3]) {
      send(`192.0.2.${client} ${FAILED}`)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    await until(() => complaints.length > 0)
    assert.equal(complaints.length, 1)
    assert.match(complaints[0] ?? '', /handshakes\.json cannot be written: /)
  })
})
