// What every listener reports: decisions, acknowledgements and administration are counted and written to the audit log.
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { AmbiguousPath, Decision, Engine } from '../engine.ts'
import type { RuledHosts } from '../proxy-settings/ruled-hosts.ts'
import type { DecisionRequest } from '../request/decision-request.ts'
import type { AcknowledgementRecord, AdministrationRecord } from './audit-events.ts'
import type { RuleHits } from './rule-hits.ts'
import { countByDoor, countDecision, type Door, type Tally } from './tally.ts'

export interface AuditSettings {
  /** Whether allowed requests get a line. */
  readonly allowed: boolean
  /** Whether a request's line has the URL's host. */
  readonly hosts: boolean
}

export interface Monitoring {
  /** A random name of this process. */
  readonly instance: string
  /** The engine's `decide` for this listener: each decision is counted and logged. */
  decideAs(door: Door, engine: Pick<Engine, 'decide'>): Engine['decide']
  /** Whether a host is ruled, counted. @param host canonical; undefined for one that does not parse, which is ruled */
  isRuledBy(ruledHosts: Pick<RuledHosts, 'find'>): (host: string | undefined) => boolean
  /** Decisions of each listener since the start, without those of rules that have been removed since. */
  readonly decisions: Readonly<Record<Door, number>>
  readonly ruleHits: RuleHits
  acknowledged(acknowledgement: AcknowledgementRecord): void
  administered(act: AdministrationRecord): void
}

/** @param log its output must never block: a decision is logged before its response is sent */
export function createMonitoring(tally: Tally, log: Logger, audit: AuditSettings, ruleHits: RuleHits): Monitoring {
  function decided(
    door: Door,
    request: DecisionRequest,
    decision: Decision | AmbiguousPath,
    startedAt: number,
  ): Decision | AmbiguousPath {
    if (decision.verdict === 'refuse') return decision
    countDecision(tally, door, decision, performance.now() - startedAt)
    ruleHits.count(decision)
    if (decision.verdict === 'allow' && !audit.allowed) return decision
    const { client, user, host } = request
    const line = {
      door,
      client: client.address,
      ...(user !== undefined && { user }),
      ...(audit.hosts && { host }),
    }
    if (decision.verdict === 'allow') {
      const { rule, session } = decision
      log.info({ event: 'request.allowed', ...line, rule, session }, 'decision')
    } else {
      const { verdict: kind, rule, reference } = decision
      log.info({ event: 'request.stopped', ...line, kind, rule, reference }, 'decision')
    }
    return decision
  }

  return {
    instance: randomBytes(9).toString('base64url'),
    decideAs: (door, engine) => (request) => {
      const startedAt = performance.now()
      const decision = engine.decide(request)
      return decision instanceof Promise
        ? decision.then((found) => decided(door, request, found, startedAt))
        : decided(door, request, decision, startedAt)
    },
    isRuledBy: (ruledHosts) => (host) => {
      const isRuled = host === undefined || ruledHosts.find(host) !== undefined
      tally.hosts[isRuled ? 'yes' : 'no']++
      return isRuled
    },
    get decisions() {
      return countByDoor(tally)
    },
    ruleHits,
    acknowledged(acknowledgement) {
      tally.acknowledgements[acknowledgement.outcome]++
      log.info({ event: 'acknowledgement', ...acknowledgement }, 'acknowledgement')
    },
    administered(act) {
      log.info(act, act.event.replace('.', ' '))
    },
  }
}
