// The whole gateway under load, while its parts fail one after the other: no stopped site gets a request, nothing passes
// undecided, and every outage of engine or portal shows a page.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutWholeGateway, startWholeGateway, type WholeGateway } from '../../test/proxy/whole-gateway.ts'
import { fingerprint } from '../../test/support/certificates.ts'
import { listed } from '../../test/support/load/load.ts'
import { until } from '../../test/support/until.ts'
import {
  ALLOWED_HOST,
  type Kind,
  type Outcome,
  recovery,
  STOPPED_HOST,
  startVisitors,
  UNRULED_HOST,
  type Visitors,
} from './browsing-visitors.ts'
import { Findings } from './findings.ts'
import { runScenario } from './scenario.ts'

const POLICY = `
[inspection]
exempt = ["bank.example"]
[[rules]]
name = "gambling"
match = ["${STOPPED_HOST}"]
action = "block"
[[rules]]
name = "others"
match = ["${ALLOWED_HOST}"]
clients = ["192.0.2.1"]
action = "block"
`
const ALLOWED_URL = `http://${ALLOWED_HOST}/`
/** How long a decided request may be on its way to a site. */
const DECIDED_MS = 300
/** How long hosts that no rule names may pass without the engine. */
const UNRULED_MS = 2_500
/** Twice Squid's icap_io_timeout, as shipped: it may try a connection that it has kept, and then a new one. */
const UNDECIDED_MS = 10_000
const SLOW_MS = 400
/** The engine publishes every minute. */
const ROTATION_SECONDS = 70

type Expected = Readonly<Record<Kind, readonly Outcome[]>>

const USUAL: Expected = { allowed: ['site'], unruled: ['site'], stopped: ['redirect'], portal: ['portal'] }
/** Which sites get requests is counted there. */
const UNDECIDED: Expected = {
  allowed: ['failure page'],
  unruled: ['site', 'failure page'],
  stopped: ['failure page'],
  portal: ['portal'],
}
/** Squid closes its port for a moment. */
const RECONFIGURED: Expected = {
  allowed: ['site', 'refused'],
  unruled: ['site', 'refused'],
  stopped: ['redirect', 'refused'],
  portal: ['portal', 'refused'],
}
const EITHER: Expected = {
  allowed: ['site', 'failure page'],
  unruled: ['site', 'failure page'],
  stopped: ['redirect', 'failure page'],
  portal: ['portal'],
}

await runScenario({
  lacks: skipWithoutWholeGateway || undefined,
  async run({ isShort, after }) {
    const findings = new Findings()
    const seconds = isShort ? 4 : 10
    const whole = await startWholeGateway(
      { after },
      { policy: POLICY, hosts: [ALLOWED_HOST, UNRULED_HOST, STOPPED_HOST, 'fresh.example'], exempt: ['bank.example'] },
    )
    const visitors = await startVisitors(whole)
    after(() => visitors.stop())
    const faults = faultsOf(whole, visitors, findings, seconds)
    for (const [name, fault] of Object.entries(faults)) {
      try {
        await fault()
      } catch (error) {
        findings.expect(false, `${name}: ${(error as Error).message}`)
        break
      }
    }
    await visitors.stop()
    const all = await visitors.visits(0, performance.now())
    findings.figure('visits', all.length)
    const passed = whole.reached(STOPPED_HOST)
    findings.figure('requests to the stopped site', passed)
    findings.expect(passed === 0, `${passed} requests have reached a stopped site`)
    for (const host of [ALLOWED_HOST, UNRULED_HOST])
      findings.expect(whole.reached(host) > 0, `no request has reached ${host}: no proof`)
    return findings
  },
})

/** In the order in which they happen; each leaves the gateway as it was. */
function faultsOf(whole: WholeGateway, visitors: Visitors, findings: Findings, seconds: number) {
  const { gateway, portal } = whole
  const { engine, sites } = gateway

  /** Judges what was sent since then. */
  async function judge(name: string, from: number, to: number, expected: Expected): Promise<void> {
    const visits = await visitors.visits(from, to)
    const counts = new Map<string, number>()
    for (const { kind, outcome } of visits) {
      const key = `${kind} ${outcome}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    const longest = Math.max(0, ...visits.map(({ milliseconds }) => milliseconds))
    findings.figure(name, `${listed(counts)}; longest ${longest.toFixed(0)} ms`)
    for (const kind of Object.keys(expected) as Kind[]) {
      const some = visits.filter((visit) => visit.kind === kind)
      const others = some.filter(({ outcome }) => !expected[kind].includes(outcome)).map(({ outcome }) => outcome)
      findings.expect(some.length > 0, `${name}: no ${kind} visits`)
      findings.expect(others.length === 0, `${name}: ${kind}: ${[...new Set(others)].join(', ')}`)
    }
    findings.expectInTime(longest < UNDECIDED_MS + 1_000, `${name}: a visit took ${longest.toFixed(0)} ms`)
  }

  /** The parts work again: how long it took, and that all is as usual. */
  async function recovered(name: string, url: string, wanted: Outcome): Promise<void> {
    const milliseconds = await recovery(whole, url, wanted, 20)
    findings.figure(`  ${name}`, `works again after ${milliseconds.toFixed(0)} ms`)
    findings.expectInTime(milliseconds < 2_000, `${name}: recovery took ${milliseconds.toFixed(0)} ms`)
    const from = performance.now()
    await sleep(1_000)
    await judge('  afterwards', from, performance.now(), USUAL)
  }

  /**
   * No site gets a request from now until these milliseconds are over.
   * @param unruledMs how long those that no rule names may get requests
   */
  async function nothingPasses(name: string, milliseconds: number, unruledMs = 0): Promise<void> {
    await sleep(DECIDED_MS)
    const before = sites.received.length
    await sleep(Math.min(milliseconds, unruledMs))
    const passed = sites.received.slice(before).filter(({ host }) => host !== UNRULED_HOST)
    if (milliseconds > unruledMs) {
      const after = sites.received.length
      await sleep(milliseconds - unruledMs)
      passed.push(...sites.received.slice(after))
    }
    const hosts = [...new Set(passed.map(({ host }) => host))].join(', ')
    findings.expect(passed.length === 0, `${name}: ${passed.length} requests have reached ${hosts}`)
  }

  return {
    async none() {
      const from = performance.now()
      await sleep(3_000)
      await judge('before', from, performance.now(), USUAL)
    },

    async engineKilled() {
      await engine.kill('SIGKILL')
      const from = performance.now()
      await nothingPasses('engine killed', seconds * 1_000, UNRULED_MS)
      await judge('engine killed', from, performance.now(), UNDECIDED)
      const before = performance.now()
      await engine.restart()
      findings.figure('  engine', `listens ${(performance.now() - before).toFixed(0)} ms after its start`)
      await recovered('engine', ALLOWED_URL, 'site')
    },

    async engineFrozen() {
      engine.process.kill('SIGSTOP')
      const from = performance.now()
      const frozenMs = UNDECIDED_MS + seconds * 1_000
      await nothingPasses('engine frozen', frozenMs, UNRULED_MS)
      const to = performance.now() - UNDECIDED_MS - 500
      engine.process.kill('SIGCONT')
      const resumed = performance.now()
      await judge('engine frozen', from, to, UNDECIDED)
      await judge('  until it went on', to, resumed, EITHER)
      await recovered('engine', ALLOWED_URL, 'site')
    },

    async engineSlow() {
      const from = performance.now()
      for (let rounds = 0; rounds < seconds * 2; rounds++) {
        engine.process.kill('SIGSTOP')
        await nothingPasses('engine slow', SLOW_MS - DECIDED_MS, UNRULED_MS)
        engine.process.kill('SIGCONT')
        await sleep(100)
      }
      await judge('engine slow', from, performance.now(), USUAL)
    },

    async engineRestarted() {
      const from = performance.now()
      await engine.kill('SIGTERM')
      await engine.restart()
      await judge('engine restarted', from, performance.now(), EITHER)
      await recovered('engine', ALLOWED_URL, 'site')
    },

    async portalKilled() {
      const from = performance.now()
      await portal.kill()
      const killed = performance.now()
      await sleep(seconds * 1_000)
      await judge('portal killed', killed, performance.now(), { ...USUAL, portal: ["terminator's page"] })
      await portal.restart()
      await recovered('portal', visitors.page, 'portal')
      await judge('  in all', from, performance.now(), { ...USUAL, portal: ['portal', "terminator's page"] })
    },

    async proxyRestarted() {
      await gateway.stop()
      await nothingPasses('Squid stopped', 1_000)
      const before = performance.now()
      await gateway.restart()
      findings.figure('Squid restarted', `listens ${(performance.now() - before).toFixed(0)} ms after its start`)
      await recovered('Squid', ALLOWED_URL, 'site')
    },

    async proxyKilled() {
      process.kill(gateway.squidPid(), 'SIGKILL')
      await until(() => gateway.start.exitCode !== null)
      findings.expect(gateway.start.exitCode !== 0, 'start ends with status 0 when Squid was killed')
      await nothingPasses('Squid killed', 1_000)
      await gateway.restart()
      await recovered('Squid killed', ALLOWED_URL, 'site')
    },

    async rotated() {
      const file = join(engine.published, 'bump', 'ca.pem')
      const published = () => fingerprint(readFileSync(file), 'sha256', 'pem')
      const issuer = async () => {
        const response = await gateway.request('https://fresh.example/').catch(() => undefined)
        return response?.certificate?.issuerCertificate.fingerprint256
      }
      const previous = published()
      findings.expect((await issuer()) === previous, "a certificate is not of the proxy's CA")
      const from = performance.now()
      rmSync(file)
      await until(() => existsSync(file) && published() !== previous, ROTATION_SECONDS, 100)
      const replacedAt = performance.now()
      await until(async () => (await issuer()) === published(), 10, 100)
      const milliseconds = performance.now() - replacedAt
      findings.figure("the proxy's CA replaced", `in use after ${milliseconds.toFixed(0)} ms`)
      // Squid reconfigures itself once more, then.
      await sleep(5_000)
      await judge('  meanwhile', from, performance.now(), RECONFIGURED)
    },
  }
}
