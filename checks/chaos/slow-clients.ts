// `npm run check -- slow-clients`: a thousand clients that are slow on purpose (headers, bodies, reading; Debian's
// slowhttptest) next to normal traffic, through the real terminator. 99.9 % of normal requests must succeed within
// three seconds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { policy } from '../../test/engine/running-engine.ts'
import { hasCommand } from '../../test/support/requirement.ts'
import { startChain } from '../../test/terminator/chain.ts'
import { send } from '../../test/terminator/client.ts'
import { EXIT_CANNOT_RUN } from '../check.ts'

const HELP = `Usage: npm run check -- slow-clients [--seconds N] [--connections N]

Clients that are slow on purpose (Debian's slowhttptest) next to normal traffic,
for about three minutes. Ends with status 1 when less than 99.9 % of the normal
traffic is good, or the attackers open less than half of their connections.

  --seconds N      how long each kind of slowness lasts (30)
  --connections N  how many slow clients (1000)
  --help           this text

Example:
  npm run check -- slow-clients --seconds 10
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

if (!hasCommand('slowhttptest')) {
  process.stderr.write('apt-get install slowhttptest\n')
  process.exit(EXIT_CANNOT_RUN)
}

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, connections: { type: 'string', default: '1000' } },
})
const ATTACKS = {
  'slow headers': ['-H', '-i', '5', '-x', '24'],
  'slow bodies': ['-B', '-i', '5', '-s', '8192', '-x', '10', '-t', 'POST'],
  'slow reading': ['-X', '-n', '5', '-z', '16', '-w', '16', '-y', '64', '-k', '3'],
}
/** Normal requests; half of them open a new connection. */
const PER_SECOND = 40
/** A response that takes longer is not good. */
const PATIENCE_MS = 3_000
const REQUIRED = 0.999
/** How many of the slow connections must be open at once, and of the normal requests sent: with fewer, nothing is shown. */
const PROOF = { open: 0.5, sent: 0.25 }

const closing: (() => Promise<unknown>)[] = []
const chain = await startChain({ after: (close) => closing.unshift(close) }, policy(''), {
  // All clients have one address.
  TERMINATOR_UNLIMITED: '127.0.0.0/8',
})
const kept = new Agent({ keepAlive: true })
let isHolding = true
for (const [name, attack] of Object.entries(ATTACKS)) {
  for (const url of [chain.baseUrl, chain.plainUrl]) {
    const report = await measure(attack, url)
    const isProof =
      report.open >= PROOF.open * Number(values.connections) &&
      report.total >= PROOF.sent * Number(values.seconds) * PER_SECOND
    isHolding &&= isProof && report.good / report.total >= REQUIRED
    const note = isProof ? '' : '; too few slow connections or normal requests: no proof'
    process.stdout.write(`${name} over ${url.split(':')[0]}: ${describe(report)}${note}\n`)
  }
}
kept.destroy()
for (const close of closing) await close()
process.exitCode = isHolding ? 0 : 1

interface Report {
  readonly total: number
  readonly good: number
  /** Times of the good responses, ascending. */
  readonly milliseconds: readonly number[]
  /** Maximum of slow connections open at once, and the number that the terminator closed. */
  readonly open: number
  readonly ended: number
}

async function measure(attack: readonly string[], url: string): Promise<Report> {
  const common = ['-c', values.connections, '-r', '1000', '-l', values.seconds, '-p', '3', '-u', `${url}/privacy`]
  const attacker = spawn('slowhttptest', [...attack, ...common], { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  attacker.stdout.on('data', (chunk) => {
    output += chunk
  })
  /** @returns the highest count in slowhttptest's output */
  const most = (what: string) =>
    Math.max(
      0,
      ...Array.from(stripVTControlCharacters(output).matchAll(RegExp(`^${what}: +(\\d+)`, 'gm')), ([, n]) => Number(n)),
    )
  let isAttacking = true
  const ended = once(attacker, 'exit').then(() => {
    isAttacking = false
  })
  const milliseconds: number[] = []
  const running: Promise<void>[] = []
  let total = 0
  while (isAttacking) {
    running.push(visit(total++ % 2 === 0 ? kept : false).then((taken) => void (taken && milliseconds.push(taken))))
    await sleep(1000 / PER_SECOND)
  }
  await ended
  await Promise.all(running)
  milliseconds.sort((a, b) => a - b)
  return { total, good: milliseconds.length, milliseconds, open: most('connected'), ended: most('closed') }
}

/** @returns milliseconds until the whole page arrived; undefined for a failed request */
async function visit(agent: Agent | false): Promise<number | undefined> {
  const begin = performance.now()
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const { status, body } = await send(chain.baseUrl, '/privacy', { ca: chain.ca, agent, signal })
    return status === 200 && body.endsWith('</html>\n') ? performance.now() - begin : undefined
  } catch {
    return undefined
  }
}

function describe({ total, good, milliseconds, open, ended }: Report): string {
  const at = (share: number) => `${Math.round(milliseconds[Math.floor(milliseconds.length * share)] ?? 0)} ms`
  const share = `${good} of ${total} good (${((100 * good) / total).toFixed(2)} %)`
  return `${share}, median ${at(0.5)}, p99 ${at(0.99)}; up to ${open} slow connections open, ${ended} closed`
}
