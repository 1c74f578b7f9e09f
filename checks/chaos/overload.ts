// Many times more than one portal can answer: nothing but 200, 302 and 503, and normal service soon after.
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { listed, percentile, sendLoad } from '../../test/support/load/load.ts'
import { findCores, pin } from '../../test/support/processes.ts'
import { startGateway } from './gateway.ts'
import { noteBusyMachine, pageFigures, watchPages } from './pages.ts'
import { Findings, type Scenario, type ScenarioOptions } from './scenario.ts'

const TIMES = 5
/** Of what the portal can answer at most. */
const SUSTAINABLE = 0.7
const CONNECTIONS = 1_000
/** One request in that many is an acknowledgement. */
const ACKNOWLEDGEMENT_EVERY = 50
/** Leaves a portal about a quarter of the core that it shares with a neighbour that never rests. */
const NICENESS = 5

export const overload: Scenario = {
  name: 'overload',
  about: `${TIMES} times the sustainable load: only 200, 302 and 503 with Retry-After; normal service within 10 s after`,
  needs: 'two cores',
  seconds: { whole: 90, short: 35 },
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

    // What a few connections get that never pause, at the best of times: the first one warms up.
    const most: number[] = []
    while (most.length < 4) most.push((await send(8_000, options.isShort ? 1.5 : 4, 16)).perSecond)
    const sustained = Math.round(SUSTAINABLE * Math.max(...most))
    const watch = await watchPages(gateway, options)
    const before = await watch.measure(3)
    noteBusyMachine(findings, before)
    findings.figure('sustainable', `${sustained} a second; without load pages ${pageFigures(before.pages)}`)

    const crowd = await send(TIMES * sustained, options.isShort ? 6 : 30, CONNECTIONS)
    findings.figure(`${TIMES} times that`, `${listed(crowd.answers)}; ${Math.round(crowd.perSecond)} answers a second`)
    const [p50, p99] = [percentile(crowd, 50).toFixed(0), percentile(crowd, 99).toFixed(0)]
    findings.figure('an answer takes', `p50 ${p50} ms, p99 ${p99} ms`)
    // What found none of a thousand connections free was not sent.
    const allowed = ['200', '302', '503', 'no connection']
    const others = [...crowd.answers.keys()].filter((what) => !allowed.includes(what))
    findings.expect(others.length === 0, `there was ${others.join()} too`)
    findings.expect(crowd.withRetryAfter === (crowd.answers.get('503') ?? 0), 'a 503 without Retry-After')
    findings.expect(crowd.answers.has('503'), 'no request was refused: the load was too low')
    findings.expect((crowd.answers.get('200') ?? 0) > sustained, 'too few requests were served')

    const endedAt = performance.now()
    for (;;) {
      const after = await watch.measure(1)
      const { pages, bystander } = after
      noteBusyMachine(findings, after)
      const elapsed = (performance.now() - endedAt) / 1000
      const noise = Math.max(percentile(before.pages, 99), percentile(bystander, 99), 5)
      const isNormal = !pages.answers.has('503') && percentile(pages, 99) <= 2 * noise
      if (isNormal) findings.figure('normal again', `within ${elapsed.toFixed(1)} s: ${pageFigures(pages)}`)
      else if (elapsed > 10) findings.expect(false, `after ${elapsed.toFixed(1)} s: ${pageFigures(pages)}`)
      if (isNormal || elapsed > 10) break
    }
    const counted = gateway.logged().filter(({ msg }) => msg === 'overloaded')
    findings.figure('lines of the portal’s log', `${counted.length} with the number of refused requests`)
    findings.expect(gateway.lastWords() === undefined, `the portal has ended: ${gateway.lastWords()}`)
    return findings
  },
}

/** So that one process can send many times what the portal can answer. Without a second core it shares its own anyway. */
function slowDown(pid: number, { after }: ScenarioOptions): void {
  const cores = findCores()
  if (cores === undefined) return
  const neighbour = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' })
  after(() => neighbour.kill('SIGKILL'))
  for (const one of [pid, neighbour.pid as number]) pin(one, cores.server)
  setPriority(pid, NICENESS)
}
