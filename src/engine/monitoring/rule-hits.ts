// How often each rule has decided today, in this process: today begins at midnight in the engine's time zone, or with the process.
import type { Clock } from '../clock.ts'
import type { Decision } from '../engine.ts'
import type { ZoneClock } from '../policy/schedule/zone-clock.ts'

interface Hits {
  readonly stopped: number
  /** With sessions. */
  readonly allowed: number
}

export interface RuleHits {
  count(decision: Decision): void
  /** Of the rule or, by its name, of the default where it blocks. */
  hitsOf(rule: string): Hits
  /** Since when they are counted: milliseconds since the epoch. */
  readonly since: number
  readonly timezone: string
}

export function createRuleHits(clock: Clock, zone: ZoneClock): RuleHits {
  const startedAt = clock()
  let day = zone.read(startedAt).date
  const byRule = new Map<string, { stopped: number; allowed: number }>()

  function startDay(): void {
    const { date } = zone.read(clock())
    if (date === day) return
    day = date
    byRule.clear()
  }

  return {
    count({ rule, verdict }) {
      startDay()
      if (rule === undefined) return
      let hits = byRule.get(rule)
      if (hits === undefined) {
        hits = { stopped: 0, allowed: 0 }
        byRule.set(rule, hits)
      }
      if (verdict === 'allow') hits.allowed++
      else hits.stopped++
    },
    hitsOf(rule) {
      startDay()
      return { stopped: 0, allowed: 0, ...byRule.get(rule) }
    },
    get since() {
      const now = Temporal.Instant.fromEpochMilliseconds(clock()).toZonedDateTimeISO(zone.timezone)
      return Math.max(startedAt, now.startOfDay().epochMilliseconds)
    },
    timezone: zone.timezone,
  }
}
