// What a report's numbers lack, because the journal does not have it.
import { MAXIMUM_CAUSES, type Report } from '../../../contract/report.ts'
import type { Formats } from './formats.ts'
import type { Texts } from './i18n/en.ts'

const DAY_MS = 86_400_000

/** @returns a remark for each */
export function missingIn(report: Report, t: Texts, formats: Pick<Formats, 'days'>): readonly string[] {
  return [
    ...(isForgotten(report) ? [t.forgotten(formats.days(report.journal.days))] : []),
    ...(report.journal.hosts ? [] : [t.noHosts]),
  ]
}

/** The same for the causes of acknowledgements and permissions. */
export function missingInCauses(
  { over_blocking: { cut } }: Report,
  t: Texts,
  { number }: Pick<Formats, 'number'>,
): readonly string[] {
  const { acknowledgements, hosts } = MAXIMUM_CAUSES
  return cut ? [t.overBlocking.causes.cut(number(acknowledgements), number(hosts))] : []
}

/** Whether what happened at the beginning of the period has been deleted; not where that is a part of its first day. */
function isForgotten({ time, period, journal }: Report): boolean {
  return Date.parse(period.since) < Date.parse(time) - (journal.days + 1) * DAY_MS
}
