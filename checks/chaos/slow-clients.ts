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
for about two minutes. Ends with status 1 when less than 99.9 % of the normal
traffic is good, or the attackers open less than half of their connections.

  --seconds N      how long each kind of slowness lasts (30)
  --connections N  how many slow clients (1000), half of them over https
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
/** A fault shows in each attempt; other work on the machine hardly ever in all. A wrong response fails at once. */
const ATTEMPTS = 3
/** How many of the slow connections must be open at once, and of the normal requests sent: with fewer, nothing is shown. */
const PROOF = { open: 0.5, sent: 0.25 }

/** Of each attacker: one uses https, one http. */
const EACH = Math.ceil(Number(values.connections) / 2)

const closing: (() => Promise<unknown>)[] = []
const chain = await startChain({ after: (close) => closing.unshift(close) }, policy(''), {
  // All clients have one address.
  TERMINATOR_UNLIMITED: '127.0.0.0/8',
})
const kept = new Agent({ keepAlive: true })
let isHolding = true
for (const [name, attack] of Object.entries(ATTACKS)) {
  let outcome: 'good' | 'late' | 'wrong' = 'late'
  for (let attempt = 0; attempt < ATTEMPTS && outcome === 'late'; attempt++) {
    const report = await measure(attack)
    const { attackers, good, wrong, total } = report
    const isProof =
      attackers.every(({ open }) => open >= PROOF.open * EACH) &&
      total >= PROOF.sent * Number(values.seconds) * PER_SECOND
    outcome = wrong > 0 ? 'wrong' : isProof && good / total >= REQUIRED ? 'good' : 'late'
    const note = isProof ? '' : '; too few slow connections or normal requests: no proof'
    process.stdout.write(`${name}: ${describe(report)}${note}\n`)
  }
  isHolding &&= outcome === 'good'
}
kept.destroy()
for (const close of closing) await close()
process.exitCode = isHolding ? 0 : 1

interface Report {
  readonly total: number
  readonly good: number
  /** Responses other than a page, and a 503 for which there was no time. */
  readonly wrong: number
  /** Times of the good responses, ascending. */
  readonly milliseconds: readonly number[]
  readonly attackers: readonly Attacker[]
}

/** One over https, one over http. */
interface Attacker {
  readonly scheme: string
  /** Maximum of slow connections open at once, and the number that the terminator closed. */
  readonly open: number
  readonly closed: number
}

/** Sends normal requests until both attackers have ended. */
async function measure(attack: readonly string[]): Promise<Report> {
  let isAttacking = true
  const attacks = Promise.all([chain.baseUrl, chain.plainUrl].map((url) => attackBy(attack, url))).finally(() => {
    isAttacking = false
  })
  const milliseconds: number[] = []
  const running: Promise<void>[] = []
  let [total, wrong] = [0, 0]
  const count = (result: number | 'late' | 'wrong') => {
    if (typeof result === 'number') milliseconds.push(result)
    else if (result === 'wrong') wrong++
  }
  while (isAttacking) {
    running.push(visit(total++ % 2 === 0 ? kept : false).then(count))
    await sleep(1000 / PER_SECOND)
  }
  await Promise.all(running)
  milliseconds.sort((a, b) => a - b)
  return { total, good: milliseconds.length, wrong, milliseconds, attackers: await attacks }
}

async function attackBy(attack: readonly string[], url: string): Promise<Attacker> {
  const common = ['-c', `${EACH}`, '-r', '500', '-l', values.seconds, '-p', '3', '-u', `${url}/privacy`]
  const attacker = spawn('slowhttptest', [...attack, ...common], { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  attacker.stdout.on('data', (chunk) => {
    output += chunk
  })
  await once(attacker, 'close')
  /** @returns the highest count in slowhttptest's output */
  const most = (what: string) =>
    Math.max(
      0,
      ...Array.from(stripVTControlCharacters(output).matchAll(RegExp(`^${what}: +(\\d+)`, 'gm')), ([, n]) => Number(n)),
    )
  return { scheme: url.split(':')[0] ?? '', open: most('connected'), closed: most('closed') }
}

/** @returns milliseconds until the whole page arrived; `late` if that took too long, or the portal was too busy */
async function visit(agent: Agent | false): Promise<number | 'late' | 'wrong'> {
  const begin = performance.now()
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    const { status, body } = await send(chain.baseUrl, '/privacy', { ca: chain.ca, agent, signal })
    if (status === 503) return 'late'
    return status === 200 && body.endsWith('</html>\n') ? performance.now() - begin : 'wrong'
  } catch {
    return signal.aborted ? 'late' : 'wrong'
  }
}

function describe({ total, good, wrong, milliseconds, attackers }: Report): string {
  const at = (share: number) => `${Math.round(milliseconds[Math.floor(milliseconds.length * share)] ?? 0)} ms`
  const slow = attackers.map(({ scheme, open, closed }) => `${open} over ${scheme} (${closed} closed)`)
  const share = `${good} of ${total} good (${((100 * good) / total).toFixed(2)} %), ${wrong} wrong`
  return `${share}, median ${at(0.5)}, p99 ${at(0.99)}; slow connections at once: ${slow.join(', ')}`
}
