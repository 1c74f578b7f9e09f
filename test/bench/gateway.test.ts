import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Run } from '../../bench/contenders.ts'
import { hostsOfLoads, LOADS, proxyRequests } from '../../bench/gateway/loads.ts'
import { hostsOf } from '../../bench/gateway/network.ts'
import { PROXIES } from '../../bench/gateway/proxies.ts'
import {
  ALONE,
  C_ICAP,
  E2GUARDIAN,
  type GatewayResult,
  noRuns,
  OURS,
  type ProxyResult,
} from '../../bench/gateway/result.ts'
import { report } from '../../bench/report.ts'
import type { Results } from '../../bench/results.ts'
import { targetRows } from '../../bench/targets.ts'

const RUN: Run = {
  rate: 1,
  p50: 1,
  p99: 2,
  p999: 3,
  bytes: 4000,
  cpu: 200,
  cpuOfEach: [200],
  busy: 1,
  residentBytes: 1,
}
const MIB = 2 ** 20
const ROUNDS = Array.from({ length: 24 }, (_, round) => round)

/** The machine is half as fast in every second round. */
function proxy(name: string, allowed: number, stopped: number, p50: number, failed = 0): ProxyResult {
  const runs = noRuns()
  for (const round of ROUNDS) {
    const speed = round % 2 === 0 ? 1 : 0.5
    runs.allowed.push({ ...RUN, rate: allowed * speed, ...(name === C_ICAP && { cpuOfEach: [160, 40] }) })
    if (stopped > 0) runs.stopped.push({ ...RUN, rate: stopped * speed })
    runs['one-connection'].push({ ...RUN, p50: p50 + (round % 2) })
  }
  const change = { inForce: 450, requests: 200, failed, longest: 12 }
  const changes = stopped > 0 ? ROUNDS.map(() => change) : []
  return { name, runs, memory: ROUNDS.map(() => 100 * MIB), changes }
}

const GATEWAY: GatewayResult = {
  names: 1_000_000,
  proxies: [
    proxy(OURS, 4000, 8000, 0.45),
    proxy(ALONE, 9000, 0, 0.2),
    proxy(C_ICAP, 3800, 4100, 0.4),
    proxy(E2GUARDIAN, 3000, 4000, 0.25, 3),
  ],
}
const RESULTS: Results = { scenarios: [], starts: [], weights: [], engine: undefined, gateway: GATEWAY, notes: [] }

function row(text: string) {
  const found = targetRows(RESULTS).find(({ target }) => target.includes(text))
  assert.ok(found !== undefined, text)
  return [found.reached, found.verdict]
}

test('each target of the gateway is met or missed within the rounds', () => {
  assert.deepEqual(row('allowed requests/s as Squid with c-icap'), ['1.05 (1.05 to 1.05)', 'met'])
  assert.deepEqual(row('allowed requests/s as E2Guardian'), ['1.33 (1.33 to 1.33)', 'met'])
  assert.deepEqual(row('stopped requests/s as Squid with c-icap'), ['1.95 (1.95 to 1.95)', 'missed'])
  assert.deepEqual(row('stopped requests/s as E2Guardian'), ['2.00 (2.00 to 2.00)', 'met'])
  assert.deepEqual(row("adds at most 0.3 ms to Squid's p50"), ['0.25 ms (0.25 ms to 0.25 ms)', 'met'])
  assert.deepEqual(row('the gateway stops a new name'), ['450 ms (450 ms to 450 ms)', 'met'])
  assert.deepEqual(row('gets its page while the list changes'), ['100 % (100 % to 100 %)', 'met'])
})

test('the report has a table for each load, and one for memory and lists', () => {
  const text = report(RESULTS)
  assert.match(text, /### The gateway compared with others/)
  assert.match(text, /\| Squid with c-icap \| 2,850 \| 200 µs \(160 \+ 40\) \| .* \| 105 % \(105 % to 105 %\) \|/)
  assert.match(text, /\| E2Guardian \| 2,250 \| 200 µs \| /)
  assert.match(text, /\| E2Guardian \| 0\.05 ms .* \| 100\.0 MiB \| 450 ms \| 72 of 4,800 \| 12\.00 ms \|/)
  assert.match(text, /\| Squid alone \| 0\.00 ms .* \| 100\.0 MiB \| {2}\| {2}\| {2}\|/)
  assert.doesNotMatch(text, /NaN|Infinity|undefined/)
})

test('each request is sent on a connection to its host, and every host resolves', () => {
  const { ofConnections, ofRequests } = hostsOfLoads(4, 1000)
  const resolved = hostsOf(new Set([...ofConnections, ...ofRequests]))
  for (const load of LOADS) {
    const { requests, hosts, isListed } = proxyRequests(load, 4, 1000)
    assert.equal(requests.length % hosts.length, 0, 'the next lap begins on the first connection')
    for (const [index, bytes] of requests.entries()) {
      const [, target, host = ''] = /^GET (\S+) HTTP\/1.1\r\nHost: (\S+)\r\n/.exec(bytes.toString()) ?? []
      assert.ok(resolved.includes(` ${host}\n`), host)
      assert.equal(host.startsWith('cdn.'), isListed[index])
      if (load.isDecrypted) assert.equal(host, hosts[index % hosts.length])
      assert.equal(target?.startsWith('/'), load.isDecrypted)
    }
  }
  const listed = proxyRequests(LOADS[1], 4, 1_000_000).requests.map((bytes) => bytes.toString().split('\r\n')[1])
  assert.equal(new Set(listed).size, listed.length, 'each stopped request is for another name')
})

test('every proxy has a name of its own and the packages that install it', () => {
  assert.deepEqual(
    PROXIES.slice(0, 2).map(({ name }) => name),
    [OURS, ALONE],
  )
  assert.equal(new Set(PROXIES.map(({ name }) => name)).size, PROXIES.length)
  for (const name of [C_ICAP, E2GUARDIAN]) assert.ok(PROXIES.some((one) => one.name === name))
})
