// `npm run check -- guard`: a short benchmark for CI. It fails when the portal has become much dearer beside a bare
// node:http server than it was when docs/performance.json was written. It looks at CPU time per request, which a busy
// machine changes least, and at no absolute figure.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findCores, pin } from '../test/support/processes.ts'
import { holdsUp, LEAST_PART } from './guard-rule.ts'
import { percent, spread } from './notation.ts'
import { readRatio } from './record.ts'
import { ratioToBareServer } from './results.ts'
import { runScenario } from './run.ts'
import { SCENARIOS } from './scenarios.ts'
import { setStage } from './stage.ts'
import type { Spread } from './statistics.ts'

const OPTIONS = { seconds: 0.7, rounds: 7, connections: 32, peers: false, quick: false }

const HELP = `Usage: npm run check -- guard

A short benchmark for CI: ends with status 1 when the portal has become much
dearer beside a bare node:http server than docs/performance.json says.

Example:
  npm run check -- guard
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const recorded = readRatio()
  const { median } = recorded.toBareServer
  say(
    `Recorded on ${recorded.date} (${recorded.commit}): the portal gives ${percent(median)} of bare node:http, by CPU.`,
  )
  const isHeld = await holdsUp(median, measureRatio)
  say(isHeld ? 'It holds up.' : `It has fallen under ${percent(LEAST_PART)} of the recorded ratio.`)
  process.exit(isHeld ? 0 : 1)
} catch (error) {
  say((error as Error).message)
  process.exit(1)
}

/** One benchmark of `/blocked`, with servers of its own. */
async function measureRatio(): Promise<Spread> {
  const [blocked] = SCENARIOS.filter(({ name }) => name === 'blocked')
  if (blocked === undefined) throw new Error('there is no such scenario')
  const folder = mkdtempSync(join(tmpdir(), 'portal-guard-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const cores = findCores()
  if (cores !== undefined) pin(process.pid, cores.load)
  const stage = await setStage(folder, cores)
  const { isPaced: _, ...closedLoopOnly } = blocked
  const result = await runScenario(closedLoopOnly, stage, OPTIONS, { say: () => {}, note: say })
  await stage.portal.stop()
  await stage.engine.stop()
  const measured = ratioToBareServer([result])
  if (measured === undefined) throw new Error('there is no bare server to hold the portal against')
  say(`Now: ${spread(measured, percent)}`)
  return measured
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
