// A thousand clients that are slow on purpose (headers, bodies, reading; Debian's slowhttptest) next to normal traffic, through the
// real terminator. 99.9 % of normal requests must succeed within three seconds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { policy } from '../../test/engine/running-engine.ts'
import { hasCommand } from '../../test/support/requirement.ts'
import { skipWithoutNginx } from '../../test/support/terminator.ts'
import { type Chain, startChain } from '../../test/terminator/chain.ts'
import { send } from '../../test/terminator/client.ts'
import { Findings } from './findings.ts'
import { runScenario } from './scenario.ts'

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

await runScenario({
  lacks: hasCommand('slowhttptest') ? skipWithoutNginx || undefined : 'apt-get install slowhttptest',
  async run({ isShort, after }) {
    const findings = new Findings()
    const seconds = isShort ? 5 : 15
    /** Of each attacker: one uses https, one http. */
    const each = isShort ? 150 : 500
    // All clients have one address.
    const chain = await startChain({ after }, policy(''), { TERMINATOR_UNLIMITED: '127.0.0.0/8' })
    const kept = new Agent({ keepAlive: true })
    after(() => kept.destroy())
    for (const [name, attack] of Object.entries(ATTACKS)) {
      const { attackers, good, wrong, total, milliseconds } = await measure(chain, kept, attack, each, seconds)
      const at = (share: number) => `${Math.round(milliseconds[Math.floor(milliseconds.length * share)] ?? 0)} ms`
      const slow = attackers.map(({ scheme, open, closed }) => `${open} over ${scheme} (${closed} closed)`)
      const share = `${good} of ${total} good (${((100 * good) / total).toFixed(2)} %), ${wrong} wrong`
      findings.figure(name, `${share}, median ${at(0.5)}, p99 ${at(0.99)}; slow at once: ${slow.join(', ')}`)
      findings.expect(wrong === 0, `${name}: ${wrong} wrong responses`)
      findings.expectInTime(good / total >= REQUIRED, `${name}: only ${good} of ${total} were good`)
      const isProof =
        attackers.every(({ open }) => open >= PROOF.open * each) && total >= PROOF.sent * seconds * PER_SECOND
      findings.expectInTime(isProof, `${name}: too few slow connections or normal requests: no proof`)
    }
    return findings
  },
})

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
async function measure(
  chain: Chain,
  kept: Agent,
  attack: readonly string[],
  each: number,
  seconds: number,
): Promise<Report> {
  let isAttacking = true
  const attacks = Promise.all(
    [chain.baseUrl, chain.plainUrl].map((url) => attackBy([...attack, '-c', `${each}`, '-l', `${seconds}`], url)),
  ).finally(() => {
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
    running.push(visit(chain, total++ % 2 === 0 ? kept : false).then(count))
    await sleep(1000 / PER_SECOND)
  }
  await Promise.all(running)
  milliseconds.sort((a, b) => a - b)
  return { total, good: milliseconds.length, wrong, milliseconds, attackers: await attacks }
}

async function attackBy(attack: readonly string[], url: string): Promise<Attacker> {
  const common = ['-r', '500', '-p', '3', '-u', `${url}/privacy`]
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
async function visit(chain: Chain, agent: Agent | false): Promise<number | 'late' | 'wrong'> {
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
