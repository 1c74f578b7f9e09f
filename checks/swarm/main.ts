// npm run check -- swarm: the shipped stack on a real Docker Swarm, updated, rolled back, hurt and mended under load.

import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Acceptance, type Attempt, DIFFERENCES, reconcile } from '../chaos/reconcile.ts'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { type Load, type Phase, startLoad, type Tally } from './load.ts'
import { deploySwarm, type SwarmStack } from './stack.ts'

const USAGE = `Usage: npm run check -- swarm [options]

Deploys deploy/swarm/stack.yaml and postgresql.yaml on this machine's Docker,
which becomes a swarm of one node where it is none, with three replicas and a
reference engine. Under load it updates the portal, rolls it back, tries an
update that cannot start, kills a replica and restarts PostgreSQL. Ends with
status 1 when a page or an acknowledgement failed that should not have, or when
the ledger and the engine's log do not agree. Takes about six minutes.

  --pages N             verdict pages each second (300)
  --acknowledgements N  acknowledgements each second (20)
  --portal IMAGE        (gateway/captive-portal)
  --terminator IMAGE    (gateway/captive-terminator)
  --engine IMAGE        (gateway/reference-engine)
  --postgresql IMAGE    (postgres:18)
  --help                this text

Example:
  npm run check -- swarm --pages 50 --acknowledgements 5
`

const STEADY_MS = 10_000

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '300' },
    acknowledgements: { type: 'string', default: '20' },
    portal: { type: 'string', default: 'gateway/captive-portal' },
    terminator: { type: 'string', default: 'gateway/captive-terminator' },
    engine: { type: 'string', default: 'gateway/reference-engine' },
    postgresql: { type: 'string', default: 'postgres:18' },
    help: { type: 'boolean', default: false },
  },
})
const say = (text: string) => process.stdout.write(`${text}\n`)

if (values.help) say(USAGE)
else if (spawnSync('docker', ['info'], { timeout: 30_000 }).status !== 0) {
  process.stderr.write('no Docker Engine answers\n')
  process.exitCode = EXIT_CANNOT_RUN
} else {
  const stack = await deploySwarm(values)
  for (const event of ['SIGINT', 'SIGTERM', 'uncaughtException'] as const) {
    process.once(event, (what) => {
      say(`${what}`)
      void stack.remove().finally(() => process.exit(1))
    })
  }
  try {
    process.exitCode = (await check(stack)) ? 0 : 1
  } finally {
    await stack.remove()
  }
}

/** Whether everything went as it should. */
async function check(stack: SwarmStack): Promise<boolean> {
  const { docker, service, settled } = stack
  const [pages, acknowledgements] = [Number(values.pages), Number(values.acknowledgements)]
  const portal = service('portal')
  const update = ['service', 'update', '--quiet', '--no-resolve-image']
  const next = await stack.variant('next', 'LABEL check=next')
  const broken = await stack.variant('broken', 'ENTRYPOINT ["false"]')
  const load = await startLoad({ ...stack, pages, acknowledgements })

  load.begin('steady')
  await sleep(STEADY_MS)
  load.begin('rolling update')
  await docker(...update, '--image', next, portal)
  await settled('portal', 3)
  load.begin('rollback')
  await docker('service', 'rollback', '--quiet', portal)
  await settled('portal', 3)
  load.begin('update that cannot start')
  // Docker's command fails when the swarm has rolled back.
  await docker(...update, '--image', broken, portal).catch(() => {})
  await settled('portal', 3)
  const image = await docker('service', 'inspect', '--format', '{{.Spec.TaskTemplate.ContainerSpec.Image}}', portal)
  load.begin('docker kill')
  const [victim] = await stack.containers('portal')
  const inFlight = await mostInFlight(load, docker('kill', `${victim}`))
  await sleep(STEADY_MS)
  await settled('portal', 3)
  load.begin('PostgreSQL restarted')
  await docker(...update, '--force', service('postgresql'))
  await sleep(STEADY_MS)
  load.begin('steady again')
  await sleep(STEADY_MS)
  const { phases, acknowledged, gaveUp } = await load.end()

  const { reconciliation, engineLines } = await readBack(stack)
  for (const phase of phases) say(shown(phase))
  say(
    `in flight when the replica was killed, at most: ${inFlight.pages} pages, ${inFlight.acknowledgements} acknowledgements`,
  )
  say(`acknowledged: ${acknowledged}, gave up: ${gaveUp}; lines of the engine's log: ${engineLines}`)
  say(`sessions: ${reconciliation.sessions}; rows: ${JSON.stringify(reconciliation.rowsByState)}`)
  for (const name of DIFFERENCES) say(`${name}: ${reconciliation.differences[name].length}`)

  const failures = phases.filter((phase) => !isAsItShould(phase, inFlight))
  const faults = [
    ...failures.map(({ name }) => `requests failed: ${name}`),
    ...DIFFERENCES.filter((name) => reconciliation.differences[name].length > 0),
    ...(image.trim() === broken ? ['the swarm did not roll back'] : []),
    ...(gaveUp > 0 || acknowledged === 0 || reconciliation.sessions < acknowledged
      ? ['not everybody came through']
      : []),
  ]
  say(faults.length === 0 ? 'passed' : `FAILED: ${faults.join('; ')}`)
  return faults.length === 0
}

/** Nobody knows when exactly the signal comes: the most that were on their way until Docker said so. */
async function mostInFlight(load: Load, killed: Promise<unknown>) {
  const most = { pages: 0, acknowledgements: 0 }
  let isOver = false
  const over = killed.finally(() => {
    isOver = true
  })
  for (; !isOver; await sleep(1)) {
    const { pages, acknowledgements } = load.inFlight()
    most.pages = Math.max(most.pages, pages)
    most.acknowledgements = Math.max(most.acknowledgements, acknowledgements)
  }
  await over
  return most
}

function isAsItShould({ name, pages, acknowledgements }: Phase, inFlight: Record<string, number>): boolean {
  const failed = (tally: Tally) => [...tally.failed.values()].reduce((sum, count) => sum + count, 0)
  // What was in flight to three replicas; one was killed.
  if (name === 'docker kill') {
    return failed(pages) + failed(acknowledgements) <= (inFlight.pages ?? 0) + (inFlight.acknowledgements ?? 0)
  }
  // A database that is away is said to be: come again in a moment.
  const isTold = [...acknowledgements.failed.keys()].every((what) => what === '503')
  return failed(pages) === 0 && (failed(acknowledgements) === 0 || (name === 'PostgreSQL restarted' && isTold))
}

function shown({ name, seconds, pages, acknowledgements }: Phase): string {
  const one = (what: string, { requests, failed, latency }: Tally) => {
    const bad = [...failed].map((pair) => pair.join(': ')).join(', ') || 'none'
    const at = (percentile: number) => `${(latency.percentile(percentile) / 1000).toFixed(0)} ms`
    const rate = (requests / seconds).toFixed(0)
    return `  ${what.padEnd(17)}${requests} (${rate}/s), failed: ${bad}; p50 ${at(50)}, p99 ${at(99)}, at most ${at(100)}`
  }
  return `${name}, ${seconds.toFixed(0)} s\n${one('pages', pages)}\n${one('acknowledgements', acknowledgements)}`
}

/** The ledger, as the operator's own command exports it, against the engine's log. */
async function readBack(stack: SwarmStack) {
  const [container] = await stack.containers('portal')
  const command = ['node', 'src/gatewayctl/main.ts', 'portal', 'acceptances', 'export']
  const ledger = lines(await stack.docker('exec', `${container}`, ...command, '--format', 'jsonl', '--attempts'))
  const log = lines(await stack.engineLog())
  const acceptances = ledger.map(({ jti, state }): Acceptance => ({ reference: `${jti}`, state: `${state}` }))
  const attempts = ledger.flatMap(({ jti, attempt_records }) =>
    (attempt_records as { engine_status: number | null }[]).map(
      ({ engine_status }): Attempt => ({ reference: `${jti}`, engineStatus: engine_status }),
    ),
  )
  return { reconciliation: reconcile(log, acceptances, attempts), engineLines: log.length }
}

function lines(text: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
}
