// One check of everything, with a limit for each part: a part that fails or hangs is a cause itself, and hides no other.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cause, type Checked, distinct, harmless } from './cause.ts'
import { checkClock } from './checks/clock.ts'
import { checkDisks } from './checks/disks.ts'
import { checkEngine } from './checks/engine.ts'
import { checkJobs, JOB_AREAS } from './checks/jobs.ts'
import { checkCa, checkOtherClocks, checkPortal, checkTerminator } from './checks/portal.ts'
import { checkProxy } from './checks/proxy.ts'
import { checkServices } from './checks/services.ts'
import type { Surroundings } from './checks/surroundings.ts'

interface Part {
  readonly check: (surroundings: Surroundings) => Promise<Checked>
  /** About which nothing is known without it. */
  readonly areas: readonly string[]
}

/** The first that finds a cause words it. */
const PARTS: Readonly<Record<string, Part>> = {
  services: { check: checkServices, areas: ['systemd'] },
  engine: { check: checkEngine, areas: ['engine', 'engine-status', 'engine-database', 'policy', 'lists', 'journal'] },
  portal: { check: checkPortal, areas: ['portal', 'secret', 'portal-database'] },
  terminator: { check: checkTerminator, areas: ['terminator', 'certificate'] },
  proxy: { check: checkProxy, areas: ['proxy', 'proxy-engine', 'certificate'] },
  certificates: { check: checkCa, areas: ['certificate'] },
  disks: { check: checkDisks, areas: ['disk'] },
  jobs: { check: checkJobs, areas: JOB_AREAS },
  clock: { check: checkClock, areas: ['clock'] },
  'other clocks': { check: checkOtherClocks, areas: ['clock'] },
}

const LIMIT_MS = 90_000

export async function checkEverything(surroundings: Surroundings, parts = PARTS): Promise<Checked> {
  const checked = await Promise.all(Object.entries(parts).map(([name, part]) => checkPart(name, part, surroundings)))
  const causes = distinct(checked.flatMap(({ causes }) => causes))
  return { causes, unknown: [...new Set(checked.flatMap(({ unknown = [] }) => unknown))] }
}

async function checkPart(name: string, { check, areas }: Part, surroundings: Surroundings): Promise<Checked> {
  const limit = new AbortController()
  const expired = sleep(LIMIT_MS, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`no result in ${LIMIT_MS / 1000} s`)
  })
  try {
    return await Promise.race([check(surroundings), expired])
  } catch (error) {
    return { causes: [unchecked(name, error)], unknown: areas }
  } finally {
    expired.catch(() => {})
    limit.abort()
  }
}

function unchecked(name: string, error: unknown): Cause {
  const [line = ''] = String((error as Error).message).split('\n')
  return {
    id: `unchecked:${name.replace(' ', '-')}`,
    summary: `What concerns ${name} cannot be checked: ${harmless(line)}`,
    remedy: 'journalctl -u gateway-alarms -n 30; gatewayctl portal doctor; gatewayctl engine status',
  }
}
