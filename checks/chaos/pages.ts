// Measures the effect of a fault on pages. A bystander, a bare server without the fault, gets the same load at the same
// time: its delays are the machine's.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type LoadResult, listed, percentile, sendLoad } from '../../test/support/load/load.ts'
import type { Findings } from './findings.ts'
import type { Gateway } from './gateway.ts'
import type { ScenarioOptions } from './scenario.ts'

export interface PageTimes {
  readonly pages: LoadResult
  readonly bystander: LoadResult
}

export interface PageWatch {
  /** Requests pages from the portal, and as many from the bystander. */
  measure(seconds: number): Promise<PageTimes>
}

const RATE = 100
const CONNECTIONS = 200
/** Milliseconds; always allowed. */
const ALWAYS_FINE = 10
/** Milliseconds of a bare server on a busy machine. */
const BUSY = 10
/** With fewer responses p99 is noise. */
const FEW = 1_000
const BYSTANDER = `
  const server = require('node:http').createServer((_, response) => response.end('x'.repeat(10_000)))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

export async function watchPages({ port, pages }: Gateway, { after }: ScenarioOptions): Promise<PageWatch> {
  const child = spawn(process.execPath, ['--eval', BYSTANDER], { stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  const common = { targets: pages, rate: RATE, connections: CONNECTIONS }
  return {
    async measure(seconds) {
      const send = (port: number) => sendLoad({ ...common, port, seconds })
      const [pages, bystander] = await Promise.all([send(port), send(Number(line))])
      return { pages, bystander }
    },
  }
}

/** Whether the bystander is slow too. */
function isMachineBusy({ bystander }: PageTimes): boolean {
  return percentile(bystander, bystander.latency.count < FEW ? 95 : 99) > BUSY
}

/**
 * Expects only 200, and a p99 (with few responses, p95) of at most twice the one before. When the bystander is slow as
 * well, the machine is too busy to judge times.
 */
export function judgePages(findings: Findings, name: string, before: PageTimes, during: PageTimes): void {
  const share = during.pages.latency.count < FEW ? 95 : 99
  const of = (result: LoadResult) => percentile(result, share)
  const isBusy = [before, during].some(isMachineBusy)
  const note = isBusy
    ? `; the machine is busy (bystander: ${of(during.bystander).toFixed(1)} ms), times are not judged`
    : ''
  findings.figure(name, pageFigures(during.pages) + note)
  findings.expectOnly(['200'], during.pages.responses, name)
  const allowed = Math.max(2 * of(before.pages), ALWAYS_FINE)
  const taken = of(during.pages)
  findings.expectInTime(
    isBusy || taken <= allowed,
    `${name}: p${share} is ${taken.toFixed(1)} ms, allowed ${allowed.toFixed(1)} ms`,
  )
}

export function pageFigures(pages: LoadResult): string {
  return `${listed(pages.responses)}, p50 ${percentile(pages, 50).toFixed(1)} ms, p99 ${percentile(pages, 99).toFixed(1)} ms`
}
