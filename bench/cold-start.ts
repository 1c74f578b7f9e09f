// How long a server takes from its start to its first answer, on the server's core, and its memory before that, beside a
// bare server on the same.
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import { bytesAtRest, launch, type ServerPlan, serverOf, startServer } from '../test/support/servers.ts'
import { BARE, fetchPage, planBareServer } from './contenders.ts'
import { navigations } from './requests.ts'
import type { Stage } from './stage.ts'

export interface ColdStarts {
  readonly name: string
  /** Milliseconds. */
  readonly durations: number[]
  readonly bytesAtRest: number
}

export const INSTALLED = 'portal, as it is installed'

const PATIENCE_MILLISECONDS = 15_000

/** Each starts as often as there are rounds; they take turns. */
export async function coldStarts(stage: Stage, rounds: number): Promise<ColdStarts[]> {
  const [navigation] = navigations('block', Math.floor(Date.now() / 1000), stage.key)
  if (navigation === undefined) throw new Error('there is nothing to ask')
  const page = await fetchPage(stage.portal, navigation)
  const plans = {
    [INSTALLED]: stage.installedPlan,
    'portal with a policy of 20 KB in each language': stage.portalPlan,
    [BARE]: planBareServer(stage, page, false),
  }
  const starts = []
  for (const [name, plan] of Object.entries(plans)) {
    const server = await startServer(plan, stage.cores)
    starts.push({ name, plan, bytesAtRest: await bytesAtRest(server), durations: [] as number[] })
    await server.stop()
  }
  for (let round = 0; round < rounds; round++) {
    for (const { plan, durations } of starts) durations.push(await coldStart(stage, plan, navigation))
  }
  return starts
}

async function coldStart(
  { cores }: Stage,
  plan: ServerPlan,
  { target, headers }: { readonly target: string; readonly headers: Readonly<Record<string, string>> },
): Promise<number> {
  const port = await freePort()
  const start = performance.now()
  const child = launch(plan, port, cores)
  try {
    while (!(await isAnswered())) {
      if (child.exitCode !== null) throw new Error(`${plan.name} ended with status ${child.exitCode}`)
      if (performance.now() - start > PATIENCE_MILLISECONDS) throw new Error(`${plan.name} does not answer`)
      await sleep(1)
    }
    return performance.now() - start
  } finally {
    await serverOf(child, port).stop()
  }

  function isAnswered(): Promise<boolean> {
    return new Promise((resolve) => {
      get({ host: '127.0.0.1', port, path: target, headers, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode === 200))
      }).on('error', () => resolve(false))
    })
  }
}
