// npm run check -- swarm: updates, rolls back and damages the shipped stack on a real Docker Swarm under load.

import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { listed } from '../../test/support/load/load.ts'
import { type Acceptance, type Attempt, DIFFERENCES, reconcile } from '../chaos/reconcile.ts'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { type Load, type Phase, startLoad, type Tally } from './load.ts'
import { deploySwarm, type SwarmStack } from './stack.ts'

const USAGE = `Usage: npm run check -- swarm [options]

Deploys deploy/swarm/stack.yaml and postgresql.yaml on this machine's Docker,
which becomes a swarm of one node unless it is one, with three replicas and an
engine. Needs a name server that responds: Docker asks it for a service whose
task is being replaced. Under load it updates the portal, rolls it back, tries
an update that cannot start, kills a replica and restarts PostgreSQL. Exits with
status 1 when a page or an acknowledgement failed unexpectedly, or when the
ledger differs from the engine's log. Takes about four minutes.

  --pages N             verdict pages per second (300)
  --acknowledgements N  acknowledgements per second (20)
  --portal IMAGE        (gateway/captive-portal)
  --terminator IMAGE    (gateway/captive-terminator)
  --engine IMAGE        (gateway/engine)
  --postgresql IMAGE    (postgres:18)
  --help                this text

Example:
  npm run check -- swarm --pages 50 --acknowledgements 5
`

const STEADY_MS = 10_000
/** Node's start included. Without a response, the C library waits for five seconds, twice. */
const LOOKUP_MS = 3_000

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '300' },
    acknowledgements: { type: 'string', default: '20' },
    portal: { type: 'string', default: 'gateway/captive-portal' },
    terminator: { type: 'string', default: 'gateway/captive-terminator' },
    engine: { type: 'string', default: 'gateway/engine' },
    postgresql: { type: 'string', default: 'postgres:18' },
    help: { type: 'boolean', default: false },
  },
})
const print = (text: string) => process.stdout.write(`${text}\n`)
const { portal, terminator, engine, postgresql } = values
const missing = [portal, terminator, engine, postgresql].filter(
  (image) => spawnSync('docker', ['image', 'inspect', image], { timeout: 30_000 }).status !== 0,
)

if (values.help) print(USAGE)
else if (spawnSync('docker', ['info'], { timeout: 30_000 }).status !== 0) {
  process.stderr.write('no Docker Engine is running\n')
  process.exitCode = EXIT_CANNOT_RUN
} else if (missing.length > 0) {
  process.stderr.write(`Docker lacks ${missing.join(', ')}: docs/install.md builds the gateway's images\n`)
  process.exitCode = EXIT_CANNOT_RUN
} else {
  const stack = await deploySwarm(values)
  for (const event of ['SIGINT', 'SIGTERM', 'uncaughtException'] as const) {
    process.once(event, (what) => {
      print(`${what}`)
      void stack.remove().finally(() => process.exit(1))
    })
  }
  try {
    if (await hasNameServer(stack)) process.exitCode = (await check(stack)) ? 0 : 1
    else {
      process.stderr.write('the name server of this machine does not respond to containers\n')
      process.exitCode = EXIT_CANNOT_RUN
    }
  } finally {
    await stack.remove()
  }
}

/** Whether a container learns in time that a name does not exist, as it must of a service without a task. */
async function hasNameServer({ containers, docker }: SwarmStack): Promise<boolean> {
  const [container] = await containers('portal')
  const lookup = `require('node:dns').lookup('name.invalid', () => process.exit())`
  const startedAt = performance.now()
  await docker('exec', `${container}`, 'node', '--eval', lookup)
  return performance.now() - startedAt < LOOKUP_MS
}

/** @returns whether no fault was found */
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

  const { reconciliation, engineLines } = await compareLedger(stack)
  for (const phase of phases) print(format(phase))
  print(
    `in flight when the replica was killed, at most: ${inFlight.pages} pages, ${inFlight.acknowledgements} acknowledgements`,
  )
  print(`acknowledged: ${acknowledged}, gave up: ${gaveUp}; lines in the engine's log: ${engineLines}`)
  print(`sessions: ${reconciliation.sessions}; rows: ${JSON.stringify(reconciliation.rowsByState)}`)
  for (const name of DIFFERENCES) print(`${name}: ${reconciliation.differences[name].length}`)

  const failures = phases.filter((phase) => !isExpected(phase, inFlight))
  const faults = [
    ...failures.map(({ name }) => `requests failed: ${name}`),
    ...DIFFERENCES.filter((name) => reconciliation.differences[name].length > 0),
    ...(image.trim() === broken ? ['the swarm did not roll back'] : []),
    ...(gaveUp > 0 || acknowledged === 0 || reconciliation.sessions < acknowledged
      ? ['some visitors got no redirect']
      : []),
  ]
  print(faults.length === 0 ? 'passed' : `FAILED: ${faults.join('; ')}`)
  return faults.length === 0
}

/** The exact moment of the signal is unknown: counts the most requests in flight until Docker reports the kill. */
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

function isExpected({ name, pages, acknowledgements }: Phase, inFlight: Record<string, number>): boolean {
  const failed = (tally: Tally) => [...tally.failed.values()].reduce((sum, count) => sum + count, 0)
  // Requests were in flight to three replicas; one was killed.
  if (name === 'docker kill') {
    return failed(pages) + failed(acknowledgements) <= (inFlight.pages ?? 0) + (inFlight.acknowledgements ?? 0)
  }
  // While the database is down, acknowledgements get 503 with Retry-After.
  const isUnavailable = [...acknowledgements.failed.keys()].every((what) => what === '503')
  return failed(pages) === 0 && (failed(acknowledgements) === 0 || (name === 'PostgreSQL restarted' && isUnavailable))
}

function format({ name, seconds, pages, acknowledgements }: Phase): string {
  const one = (what: string, { requests, failed }: Tally) =>
    `  ${what.padEnd(17)}${requests} (${(requests / seconds).toFixed(0)}/s), failed: ${listed(failed)}`
  return `${name}, ${seconds.toFixed(0)} s\n${one('pages', pages)}\n${one('acknowledgements', acknowledgements)}`
}

/** Compares the ledger, as gatewayctl exports it, with the engine's log. */
async function compareLedger(stack: SwarmStack) {
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
