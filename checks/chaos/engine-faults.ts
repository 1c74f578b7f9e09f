// The network between portal and engine misbehaves, then the engine accepts connections and does not respond (SIGSTOP):
// acknowledgements get a definite response within the deadline, or 503 at once when too many wait, and pages are unaffected.

import { listed, percentile, sendLoad } from '../../test/support/load/load.ts'
import { residentBytes } from '../../test/support/processes.ts'
import type { Fault } from './fault-proxy.ts'
import { Findings } from './findings.ts'
import { startGateway } from './gateway.ts'
import { judgePages, watchPages } from './pages.ts'
import { runScenario } from './scenario.ts'

const DEADLINE_MS = 1_000
const RATE = 20
const FAULTS: readonly (readonly [fault: Fault, statuses: readonly string[]])[] = [
  [{ kind: 'none' }, ['302']],
  [{ kind: 'delay', milliseconds: 50 }, ['302']],
  [{ kind: 'delay', milliseconds: 5_000 }, ['504']],
  [{ kind: 'drip', milliseconds: 20 }, ['504']],
  [{ kind: 'reset' }, ['502']],
  [{ kind: 'half-close' }, ['502']],
  [{ kind: 'black hole' }, ['504']],
  // The corrupted byte may be part of a length.
  [{ kind: 'corrupt' }, ['502', '504']],
  [{ kind: 'none' }, ['302']],
]
/** More per second than the deadline frees slots for. */
const RUSH = 400
const RUSH_SECONDS = 1
/** Each for another verdict: of three at once for the same one, the second would get 503. */
const AFTERWARDS = 4

await runScenario({
  async run(options) {
    const findings = new Findings()
    const gateway = await startGateway(options, { ENGINE_TIMEOUT_SECONDS: String(DEADLINE_MS / 1000) })
    const seconds = options.isShort ? 2 : 8
    const watch = await watchPages(gateway, options)
    await watch.measure(2)
    const before = await watch.measure(3)
    let firstBytes = 0
    for (const [fault, expected] of FAULTS) {
      const name = 'milliseconds' in fault ? `${fault.kind} of ${fault.milliseconds} ms` : fault.kind
      const targets = await gateway.acknowledgements('warn', RATE * seconds)
      gateway.engineProxy.set(fault)
      await during(name, targets, expected)
      firstBytes ||= residentBytes(gateway.pid)
    }

    const waiting = await gateway.acknowledgements('warn', RATE * seconds)
    const rush = await gateway.acknowledgements('warn', RUSH * RUSH_SECONDS)
    process.kill(gateway.engine.pid, 'SIGSTOP')
    await during('the engine is stopped', waiting, ['504'])
    const [many, meanwhile] = await Promise.all([
      sendLoad({ ...gateway, targets: rush, rate: RUSH, seconds: RUSH_SECONDS, connections: 800 }),
      watch.measure(RUSH_SECONDS),
    ])
    findings.figure('more than there are slots', listed(many.responses))
    judgePages(findings, '  pages meanwhile', before, meanwhile)
    findings.expectOnly(['503', '504'], many.responses, 'many acknowledgements')
    for (const status of ['503', '504']) findings.expect(many.responses.has(status), `none of many got ${status}`)
    findings.expect(many.withRetryAfter === many.responses.get('503'), 'a 503 without Retry-After')
    process.kill(gateway.engine.pid, 'SIGCONT')
    // Waits until the engine has closed the connections that were given up.
    const last = await gateway.acknowledgements('warn', AFTERWARDS)
    const after = await sendLoad({ ...gateway, targets: last, rate: AFTERWARDS, seconds: 1, connections: 10 })
    findings.figure('after SIGCONT', listed(after.responses))
    findings.expectOnly(['302'], after.responses, 'acknowledgements after SIGCONT')

    const grown = (residentBytes(gateway.pid) - firstBytes) / 1024 ** 2
    findings.figure('memory growth', `${grown.toFixed(1)} MiB since the first fault`)
    findings.expect(grown < 48, 'memory grew by more than 48 MiB')
    findings.expect(gateway.lastLogLine() === undefined, `the portal has ended: ${gateway.lastLogLine()}`)
    return findings

    async function during(name: string, targets: readonly string[], expected: readonly string[]): Promise<void> {
      const [acks, pages] = await Promise.all([
        sendLoad({ ...gateway, targets, rate: RATE, seconds, connections: 100 }),
        watch.measure(seconds),
      ])
      const longest = Math.round(percentile(acks, 100))
      findings.figure(name, `${listed(acks.responses)}; longest ${longest} ms`)
      findings.expectOnly(expected, acks.responses, name)
      findings.expectInTime(longest <= DEADLINE_MS + 200 + percentile(pages.bystander, 100), `${name}: ${longest} ms`)
      judgePages(findings, '  pages meanwhile', before, pages)
    }
  },
})
