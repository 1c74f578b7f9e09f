// The network between portal and engine misbehaves: acknowledgements get a definite response within the deadline, and
// pages are unaffected.

import { listed, percentile, sendLoad } from '../../test/support/load/load.ts'
import { residentBytes } from '../../test/support/processes.ts'
import type { Fault } from './fault-proxy.ts'
import { Findings } from './findings.ts'
import { startGateway } from './gateway.ts'
import { judgePages, watchPages } from './pages.ts'
import { runScenario } from './scenario.ts'

const DEADLINE = 1_000
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

await runScenario({
  async run(options) {
    const findings = new Findings()
    const gateway = await startGateway(options, { ENGINE_TIMEOUT_SECONDS: String(DEADLINE / 1000) })
    const seconds = options.isShort ? 2 : 15
    const rate = 20
    const watch = await watchPages(gateway, options)
    await watch.measure(2)
    const before = await watch.measure(3)
    let firstBytes = 0
    for (const [fault, expected] of FAULTS) {
      const name = 'milliseconds' in fault ? `${fault.kind} of ${fault.milliseconds} ms` : fault.kind
      const targets = await gateway.acknowledgements('warn', rate * seconds)
      gateway.engineProxy.set(fault)
      const [acks, during] = await Promise.all([
        sendLoad({ ...gateway, targets, rate, seconds, connections: 100 }),
        watch.measure(seconds),
      ])
      const longest = Math.round(percentile(acks, 100))
      findings.figure(name, `${listed(acks.responses)}; longest ${longest} ms`)
      findings.expectOnly(expected, acks.responses, name)
      findings.expectInTime(longest <= DEADLINE + 200 + percentile(during.bystander, 100), `${name}: ${longest} ms`)
      judgePages(findings, '  pages meanwhile', before, during)
      firstBytes ||= residentBytes(gateway.pid)
    }
    const grown = (residentBytes(gateway.pid) - firstBytes) / 1024 ** 2
    findings.figure('memory growth', `${grown.toFixed(1)} MiB since the first fault`)
    findings.expect(grown < 48, 'memory grew by more than 48 MiB')
    findings.expect(gateway.lastLogLine() === undefined, `the portal has ended: ${gateway.lastLogLine()}`)
    return findings
  },
})
