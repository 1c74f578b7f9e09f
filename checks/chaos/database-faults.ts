// The network in front of PostgreSQL misbehaves, and the server itself goes down and comes back: policies get a 503 in
// time and nothing reaches the engine without a record; warnings and pages are unaffected; recovery is quick and leaks
// nothing.

import { listed, percentile, sendLoad } from '../../test/support/load/load.ts'
import { noPostgres, queryPostgres, startPostgres } from '../../test/support/postgres-server.ts'
import { until } from '../../test/support/until.ts'
import { type Fault, startFaultProxy } from './fault-proxy.ts'
import { Findings } from './findings.ts'
import { startGateway } from './gateway.ts'
import { judgePages, pageFigures, watchPages } from './pages.ts'
import { type Acceptance, type Attempt, DIFFERENCES, reconcile } from './reconcile.ts'
import { runScenario } from './scenario.ts'

const RATE = 20
/** Of `gateway.acknowledgements('aup', …)`. */
const POLICY_RULE = 'social-media-policy'
const RECOVERY_SECONDS = 12
const RECOVERY_ATTEMPTS = 120
/** Milliseconds: a ledger operation takes at most about this long when many are queued. */
const LEDGER_LIMIT = 4_000
const ENGINE_DEADLINE = 5_000
const FAULTS: readonly (readonly [fault: Fault, statuses: readonly string[]])[] = [
  [{ kind: 'delay', milliseconds: 20 }, ['302']],
  [{ kind: 'drip', milliseconds: 30 }, ['302', '503']],
  [{ kind: 'reset' }, ['302', '503']],
  [{ kind: 'half-close' }, ['302', '503']],
  [{ kind: 'corrupt' }, ['302', '503']],
  [{ kind: 'black hole' }, ['302', '503']],
]

await runScenario({
  lacks: noPostgres || undefined,
  async run(options) {
    const findings = new Findings()
    const server = await startPostgres()
    options.after(() => server.remove())
    const url = new URL(server.url)
    const proxy = await startFaultProxy({ port: Number(url.port) })
    options.after(() => proxy.close())
    url.port = String(proxy.port)
    const gateway = await startGateway(options, { GATEWAY_CAPTIVE_DATABASE_URL: url.href })
    const seconds = options.isShort ? 2 : 8
    const pageWatch = await watchPages(gateway, options)
    await pageWatch.measure(2)
    const before = await pageWatch.measure(3)
    findings.figure('pages before', pageFigures(before.pages))

    for (const [fault, expected] of FAULTS) {
      await watch(fault.kind, expected, () => proxy.set(fault))
      proxy.set({ kind: 'none' })
      findings.figure(`  after ${fault.kind}`, await recovery())
    }
    await watch('crash', ['302', '503'], () => server.stop('immediate'))
    await server.start()
    findings.figure('  after the crash', await recovery())
    const [row] = await queryPostgres(
      server.url,
      `select count(*)::int as n from pg_stat_activity where usename is not null`,
    )
    findings.figure('connections at the end', `${row?.n}`)
    // Ten in the pool, this one, and the server's own.
    findings.expect(Number(row?.n) <= 12, 'connections have leaked')
    findings.expect(gateway.lastLogLine() === undefined, `the portal has ended: ${gateway.lastLogLine()}`)
    // What the engine has let pass, against what is on record.
    const log = (await gateway.engine.stop()).filter(({ rule }) => rule === POLICY_RULE)
    const acceptances = await queryPostgres(server.url, 'select jti as reference, state from acceptance')
    const attempts = await queryPostgres(
      server.url,
      'select jti as reference, engine_status as "engineStatus" from attempt',
    )
    const result = reconcile(log, acceptances as unknown as Acceptance[], attempts as unknown as Attempt[])
    findings.figure('sessions, rows', `${result.sessions}, ${result.rows}`)
    findings.expect(result.sessions > RATE, 'the engine has let nearly nobody pass: no proof')
    for (const name of DIFFERENCES) {
      const found = result.differences[name]
      findings.expect(found.length === 0, `${name}: ${found.slice(0, 5).join(' ')}`)
    }
    return findings

    async function watch(name: string, expected: readonly string[], inject: () => unknown): Promise<void> {
      const [policies, warnings] = await Promise.all([
        gateway.acknowledgements('aup', RATE * seconds),
        gateway.acknowledgements('warn', RATE * seconds),
      ])
      await inject()
      const [aup, warn, during] = await Promise.all([
        sendLoad({ ...gateway, targets: policies, rate: RATE, seconds, connections: 400 }),
        sendLoad({ ...gateway, targets: warnings, rate: RATE, seconds, connections: 100 }),
        pageWatch.measure(seconds),
      ])
      const longest = percentile(aup, 100)
      findings.figure(
        name,
        `policies ${listed(aup.responses)}, longest ${longest.toFixed(0)} ms; warnings ${listed(warn.responses)}`,
      )
      findings.expectOnly(expected, aup.responses, `${name}: policies`)
      findings.expectOnly(['302'], warn.responses, `${name}: warnings`)
      const limit = 2 * LEDGER_LIMIT + ENGINE_DEADLINE + percentile(during.bystander, 100)
      findings.expectInTime(longest <= limit, `${name}: a response took ${longest.toFixed(0)} ms`)
      judgePages(findings, '  pages meanwhile', before, during)
    }

    /** Measures how long it takes until policies are recorded again. */
    async function recovery(): Promise<string> {
      const startedAt = performance.now()
      const targets = (await gateway.acknowledgements('aup', RECOVERY_ATTEMPTS)).values()
      const isRecorded = async () => {
        const once = { rate: 1, seconds: 1, connections: 1 }
        const { responses } = await sendLoad({ ...gateway, ...once, targets: [...targets.take(1)] })
        return responses.has('302')
      }
      try {
        await until(isRecorded, RECOVERY_SECONDS, (RECOVERY_SECONDS * 1000) / RECOVERY_ATTEMPTS)
      } catch {
        findings.expect(false, 'policies are not recorded again')
        return 'never'
      }
      const took = performance.now() - startedAt
      findings.expectInTime(took < 5_000, `recovery took ${took.toFixed(0)} ms`)
      return `policies are recorded after ${took.toFixed(0)} ms`
    }
  },
})
