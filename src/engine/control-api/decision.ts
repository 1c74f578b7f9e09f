// The decision call: a connector sends what a client requested.
import type { Engine } from '../engine.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import type { PolicyStore } from '../policy/reload/policy-store.ts'
import type { NameUser } from '../request/reported-user.ts'
import { parseDecisionRequest } from './parse-decision-request.ts'
import { readJson } from './request-body.ts'
import { type Handle, json, problem } from './responses.ts'

interface DecisionCallOptions {
  readonly engine: Engine
  readonly monitoring: Monitoring
  readonly policies: Pick<PolicyStore, 'current'>
  readonly nameUser: NameUser
}

const AMBIGUOUS_PATH =
  'The path of "url" has a dot segment or a backslash, which browsers resolve, or too many encodings, and a rule with a path would decide about it.'

export function decisionCall({ engine, monitoring, policies, nameUser }: DecisionCallOptions): Handle {
  const decide = monitoring.decideAs('json', engine)
  return async (request) => {
    const body = await readJson(request)
    if (body.refused !== undefined) return body.refused
    const decisionRequest = parseDecisionRequest(body.json, policies.current.affixes)
    if (decisionRequest.reason !== undefined) return problem(400, decisionRequest.reason)
    const decision = await decide(nameUser(decisionRequest))
    if (decision.verdict === 'refuse') return problem(400, AMBIGUOUS_PATH)
    return json(decision.verdict === 'allow' ? { verdict: 'allow' } : decision)
  }
}
