// Jobs of timers: a backup or a deletion that failed, and what no job has done for days.
import { startAgain } from '../../deployment/unit-state.ts'
import { counted } from '../../engine/load-result.ts'
import { areaOf, type Cause, type Checked } from '../cause.ts'
import { minute } from '../message.ts'
import type { Surroundings } from './surroundings.ts'
import { type Unit, unitOf } from './units.ts'

interface Job {
  readonly unit: string
  readonly id: string
  /** The beginning of sentences. */
  readonly name: string
  readonly days: number
  /** Whether one failure is a cause; a list may fail for a night, and a directory for an hour. */
  readonly failsAtOnce: boolean
}

export const JOBS: readonly Job[] = [
  { unit: 'gateway-lists', id: 'lists-update', name: 'update of the lists', days: 3, failsAtOnce: false },
  { unit: 'gateway-groups', id: 'groups-update', name: 'update of the groups', days: 1, failsAtOnce: false },
  ...['engine', 'portal'].map((of) => ({
    ...{ unit: `gateway-${of}-backup`, id: `backup:${of}`, name: `backup of the ${of}`, days: 2, failsAtOnce: true },
  })),
  { unit: 'gateway-prune', id: 'prune', name: 'deletion of old acceptances', days: 2, failsAtOnce: true },
]
export const JOB_AREAS: readonly string[] = [...new Set(JOBS.map(({ id }) => areaOf(id)))]

const DAY_MS = 86_400_000

/** Of timers that are on. */
export async function checkJobs({ units, jobs, now }: Surroundings): Promise<Checked> {
  const causes = JOBS.flatMap((job): readonly Cause[] => {
    const [timer, service] = [unitOf(units, `${job.unit}.timer`), unitOf(units, `${job.unit}.service`)]
    const isOn = timer !== undefined && (timer.isEnabled || timer.active === 'active')
    if (!isOn || service === undefined || service.isSkipped) return []
    // A clock that was set back.
    const before = Math.min(jobs.before[job.unit] ?? now, now)
    const succeededAt = Math.max(before, successOf(service) ?? 0)
    jobs.after = { ...jobs.after, [job.unit]: succeededAt }
    const fault = faultOf(job, service, now - succeededAt)
    if (fault === undefined) return []
    const summary = `${fault}; the last success that is known, or the first round, was at ${minute(succeededAt)}`
    return [{ id: job.id, summary, remedy: startAgain(job.unit) }]
  })
  return { causes }
}

function successOf({ active, result, endedAt }: Unit): number | undefined {
  return active === 'inactive' && result === 'success' ? endedAt : undefined
}

function faultOf({ name, days, failsAtOnce }: Job, { active, result }: Unit, age: number): string | undefined {
  if (age > days * DAY_MS) return `There was no ${name} for ${counted(Math.floor(age / DAY_MS), 'day')}`
  const hasFailed = active === 'failed' || (active === 'inactive' && result !== 'success')
  return failsAtOnce && hasFailed ? `The last ${name} has failed (${result})` : undefined
}
