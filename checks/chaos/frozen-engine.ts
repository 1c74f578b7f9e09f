// The engine accepts connections and does not respond (SIGSTOP): acknowledgements end with 504 or, when too many wait,
// with 503 at once; pages are as quick as before.

import { listed, percentile, sendLoad } from '../../test/support/load/load.ts'
import { Findings } from './findings.ts'
import { startGateway } from './gateway.ts'
import { judgePages, pageFigures, watchPages } from './pages.ts'
import { runScenario } from './scenario.ts'

const RATE = 20
/** More per second than the deadline frees slots for. */
const RUSH = 100
const RUSH_SECONDS = 5
/** Each for a verdict of its own: of three at once for the same verdict, the second would get 503. */
const AFTERWARDS = 4

await runScenario({
  async run(options) {
    const findings = new Findings()
    const gateway = await startGateway(options)
    const { engine } = gateway
    const seconds = options.isShort ? 8 : 30
    const steady = await gateway.acknowledgements('warn', RATE * seconds)
    const rush = await gateway.acknowledgements('warn', RUSH * RUSH_SECONDS)
    const last = await gateway.acknowledgements('warn', AFTERWARDS)
    const watch = await watchPages(gateway, options)
    await watch.measure(3)
    const before = await watch.measure(options.isShort ? 4 : 10)
    findings.figure('pages before', pageFigures(before.pages))

    process.kill(engine.pid, 'SIGSTOP')
    const [acks, during] = await Promise.all([
      sendLoad({ ...gateway, targets: steady, rate: RATE, seconds, connections: 500 }),
      watch.measure(seconds + 5),
    ])
    const longest = percentile(acks, 100).toFixed(0)
    findings.figure('acknowledgements', `${listed(acks.responses)}; longest ${longest} ms`)
    findings.expectOnly(['504'], acks.responses, 'acknowledgements')
    judgePages(findings, 'pages meanwhile', before, during)

    const [many, meanwhile] = await Promise.all([
      sendLoad({ ...gateway, targets: rush, rate: RUSH, seconds: RUSH_SECONDS, connections: 800 }),
      watch.measure(RUSH_SECONDS),
    ])
    findings.figure('more than there are slots', listed(many.responses))
    judgePages(findings, 'pages at the same time', before, meanwhile)
    findings.expectOnly(['503', '504'], many.responses, 'many acknowledgements')
    for (const status of ['503', '504']) findings.expect(many.responses.has(status), `none of many got ${status}`)
    findings.expect(many.withRetryAfter === many.responses.get('503'), 'a 503 without Retry-After')

    process.kill(engine.pid, 'SIGCONT')
    const after = await sendLoad({ ...gateway, targets: last, rate: AFTERWARDS, seconds: 1, connections: 10 })
    findings.figure('after SIGCONT', listed(after.responses))
    findings.expectOnly(['302'], after.responses, 'acknowledgements after SIGCONT')
    return findings
  },
})
