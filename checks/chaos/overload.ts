// Many times the load that one portal can serve: only 200, 302 and 503, and normal service soon after. Then one with few file
// descriptors and little memory (scarcity.ts).
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { listed, percentile, sendLoad } from '../../test/support/load/load.ts'
import { findCores, pin } from '../../test/support/processes.ts'
import { Findings } from './findings.ts'
import { startGateway } from './gateway.ts'
import { pageFigures, watchPages } from './pages.ts'
import { judgeScarcity, lacksForScarcity } from './scarcity.ts'
import { runScenario, type ScenarioOptions } from './scenario.ts'

const TIMES = 5
/** Share of the portal's maximum throughput. */
const SUSTAINABLE = 0.7
/** Pages that are served in spite of the crowd, as a share of the sustainable load. */
const GOODPUT = 1 / 3
/** Every 50th request is an acknowledgement. */
const ACKNOWLEDGEMENT_EVERY = 50
/** Leaves the portal about a quarter of the core that it shares with a busy loop. */
const NICENESS = 5

await runScenario({
  lacks: lacksForScarcity,
  async run(options) {
    const findings = new Findings()
    const gateway = await startGateway(options)
    slowDown(gateway.pid, options)
    const warnings = await gateway.acknowledgements('warn', 20)
    const targets = Array.from({ length: 1000 }, (_, index) => {
      const isPage = index % ACKNOWLEDGEMENT_EVERY !== 0
      const from = isPage ? gateway.pages : warnings
      return from[(isPage ? index : index / ACKNOWLEDGEMENT_EVERY) % from.length] as string
    })
    const send = (rate: number, seconds: number, connections: number) =>
      sendLoad({ ...gateway, targets, rate, seconds, connections })

    // Maximum throughput: a few connections without pauses, best of four. The first one warms up.
    const most: number[] = []
    while (most.length < 4) most.push((await send(8_000, options.isShort ? 1.5 : 4, 16)).perSecond)
    const sustained = Math.round(SUSTAINABLE * Math.max(...most))
    // As many as the portal serves in a second: requests are refused after half a second in the queue.
    const connections = Math.ceil(Math.max(...most))
    const watch = await watchPages(gateway, options)
    const before = await watch.measure(3)
    findings.figure('sustainable', `${sustained} a second; without load pages ${pageFigures(before.pages)}`)

    const seconds = options.isShort ? 6 : 12
    const crowd = await send(TIMES * sustained, seconds, connections)
    findings.figure(
      `${TIMES} times that`,
      `${listed(crowd.responses)}; ${Math.round(crowd.perSecond)} responses a second`,
    )
    const [p50, p99] = [percentile(crowd, 50).toFixed(0), percentile(crowd, 99).toFixed(0)]
    findings.figure('response time', `p50 ${p50} ms, p99 ${p99} ms`)
    // A request that finds no free connection is not sent.
    findings.expectOnly(['200', '302', '503', 'no connection'], crowd.responses, 'the crowd')
    findings.expect(crowd.withRetryAfter === (crowd.responses.get('503') ?? 0), 'a 503 without Retry-After')
    findings.expectInTime(crowd.responses.has('503'), 'no request was refused: the load was too low')
    const served = (crowd.responses.get('200') ?? 0) / seconds
    findings.figure(
      'served',
      `${Math.round(served)} pages a second, ${percent(served / sustained)} of what is sustainable`,
    )
    findings.expectInTime(served >= GOODPUT * sustained, `only ${Math.round(served)} pages a second were served`)

    const endedAt = performance.now()
    for (;;) {
      const { pages, bystander } = await watch.measure(1)
      const elapsed = (performance.now() - endedAt) / 1000
      const noise = Math.max(percentile(before.pages, 99), percentile(bystander, 99), 5)
      const isNormal = !pages.responses.has('503') && percentile(pages, 99) <= 2 * noise
      if (isNormal) findings.figure('normal again', `within ${elapsed.toFixed(1)} s: ${pageFigures(pages)}`)
      else if (elapsed > 10) findings.expectInTime(false, `after ${elapsed.toFixed(1)} s: ${pageFigures(pages)}`)
      if (isNormal || elapsed > 10) break
    }
    const counted = gateway.logged().filter(({ msg }) => msg === 'overloaded')
    findings.figure('lines of the portal’s log', `${counted.length} with the number of refused requests`)
    findings.expect(gateway.lastLogLine() === undefined, `the portal has ended: ${gateway.lastLogLine()}`)
    await gateway.stop()
    await judgeScarcity(options, findings)
    return findings
  },
})

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

/** Lets one process send many times what the portal can serve. With a single core they share it anyway. */
function slowDown(pid: number, { after }: ScenarioOptions): void {
  const cores = findCores()
  if (cores === undefined) return
  const neighbour = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' })
  after(() => neighbour.kill('SIGKILL'))
  for (const one of [pid, neighbour.pid as number]) pin(one, cores.server)
  setPriority(pid, NICENESS)
}
