// The part of the scenario `engine` that is not a load on one server: lists of millions of names.
import type { BenchEnvironment } from '../environment.ts'
import { type ListPlan, measureLists } from './lists.ts'
import { type EngineResult, MORE_NAMES, MORE_URLS, NAMES, QUICK_NAMES, QUICK_URLS } from './result.ts'
import { prepareEngine } from './server.ts'

interface EngineOptions {
  readonly rounds: number
  readonly quick: boolean
}

/** Of one process. */
const RELOADS = 4

export async function measureEngine(
  environment: BenchEnvironment,
  { rounds, quick }: EngineOptions,
  log: (text: string) => void,
): Promise<EngineResult> {
  const prepare = (names: number, urls = 0) => {
    log(`engine: preparing a list, names: ${names.toLocaleString('en')}`)
    return prepareEngine(environment, `engine-${names}`, names, { urls })
  }
  const processes = Math.ceil(rounds / RELOADS)
  const plan = { starts: rounds, processes, reloads: quick ? 1 : RELOADS }
  const empty: ListPlan = { ...plan, engine: await prepare(1), seconds: quick ? 0.5 : 1 }
  const names = quick ? QUICK_NAMES : NAMES
  const plans: ListPlan[] = [
    empty,
    { ...plan, engine: await prepare(names, quick ? QUICK_URLS : 0), seconds: quick ? 0.5 : 2 },
  ]
  // No target needs its intervals, and each process takes half a minute.
  if (!quick) plans.push({ ...plan, engine: await prepare(MORE_NAMES, MORE_URLS), starts: 1, processes: 1, seconds: 5 })
  return { lists: await measureLists(environment, plans, log) }
}
