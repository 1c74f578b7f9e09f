// Measures the time from a server's start to its first response, and its memory before any request, on the server's
// core.
import { get } from 'node:http'
import { freePort } from '../test/support/free-port.ts'
import { bytesAtRest, launch, type ServerPlan, serverOf, startServer } from '../test/support/servers.ts'
import { until } from '../test/support/until.ts'
import { BARE, fetchPage, planBareServer } from './contenders.ts'
import type { BenchEnvironment } from './environment.ts'
import { type BrowserRequest, navigations } from './requests.ts'
import { inTurn } from './rounds.ts'

export interface Starts {
  readonly name: string
  /** Milliseconds, one value per round. */
  readonly durations: number[]
  /** Bytes, one value per round. */
  readonly memory: number[]
}

export const INSTALLED = 'portal, as installed'

const PATIENCE_SECONDS = 15

export async function measureStarts(environment: BenchEnvironment, rounds: number): Promise<Starts[]> {
  const navigation = startRequest(environment)
  const page = await fetchPage(environment.portal, navigation)
  const plans = {
    [INSTALLED]: environment.installedPlan,
    'portal with a policy of 20 KB in each language': environment.portalPlan,
    [BARE]: planBareServer(environment, page, false),
  }
  return await alternateStarts(environment, plans, navigation, rounds)
}

function startRequest(environment: Pick<BenchEnvironment, 'key'>): BrowserRequest {
  const [navigation] = navigations('block', Math.floor(Date.now() / 1000), environment.key)
  if (navigation === undefined) throw new Error('no request was generated')
  return navigation
}

/** Each server starts twice per round: once for the duration, once for its memory. Servers alternate. */
async function alternateStarts(
  { cores }: Pick<BenchEnvironment, 'cores'>,
  plans: Readonly<Record<string, ServerPlan>>,
  request: BrowserRequest,
  rounds: number,
): Promise<Starts[]> {
  const all = Object.entries(plans).map(([name, plan]) => ({
    plan,
    starts: { name, durations: [] as number[], memory: [] as number[] },
  }))
  for (let round = 0; round < rounds; round++) {
    for (const { plan, starts } of inTurn(all, round)) {
      starts.durations.push(await startOnce(plan, cores, request))
      const server = await startServer(plan, cores)
      starts.memory.push(await bytesAtRest(server))
      await server.stop()
    }
  }
  return all.map(({ starts }) => starts)
}

/** Milliseconds until the first 200. */
async function startOnce(
  plan: ServerPlan,
  cores: BenchEnvironment['cores'],
  { target, headers }: BrowserRequest,
): Promise<number> {
  const port = await freePort()
  const start = performance.now()
  const child = launch(plan, port, cores)
  const isAnswered = () =>
    new Promise<boolean>((resolve, reject) => {
      if (child.exitCode !== null) reject(new Error(`${plan.name} exited with status ${child.exitCode}`))
      get({ host: '127.0.0.1', port, path: target, headers, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode === 200))
      }).on('error', () => resolve(false))
    })
  try {
    await until(isAnswered, PATIENCE_SECONDS, 1)
    return performance.now() - start
  } finally {
    await serverOf(child, port).stop()
  }
}
