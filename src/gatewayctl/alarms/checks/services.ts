// Services of systemd that are enabled, but do not run.
import type { Cause, Checked } from '../cause.ts'
import { JOB_AREAS } from './jobs.ts'
import type { Surroundings } from './surroundings.ts'
import { downReason, isExpected, unitOf } from './units.ts'

export const SERVICES = ['engine', 'portal', 'terminator', 'proxy'] as const

export const unitName = (service: string): string => `gateway-${service}.service`

export async function checkServices({ units, remedyFor }: Surroundings): Promise<Checked> {
  if (units === 'none') return { causes: [] }
  if (units === 'unanswered') {
    const cause: Cause = {
      id: 'systemd',
      summary: 'systemd does not tell which services run: a service or a job that has failed is not noticed',
      remedy: 'apt-get install dbus; systemctl is-active dbus',
    }
    return { causes: [cause], unknown: JOB_AREAS }
  }
  const causes = SERVICES.flatMap((service): readonly Cause[] => {
    const unit = unitOf(units, unitName(service))
    const reason = unit === undefined || !isExpected(units, unitName(service)) ? undefined : downReason(unit)
    if (reason === undefined) return []
    return [{ id: service, summary: `The service ${unitName(service)} ${reason}`, remedy: remedyFor(service) }]
  })
  return { causes }
}
