// The policy's expectations, as the rules decide about them and as they would through the proxy; and what another policy would
// decide about them and about the requests that were stopped.
import * as z from 'zod'
import type { Expectations, PolicyDifference } from '../../../contract/administration.ts'
import { ConfigProblems } from '../../../settings/problems.ts'
import { parsed } from '../../../settings/shapes.ts'
import { faultOf, type Ruled, ruledBy, ruleThatDependsOn } from '../../policy/expectations/broken.ts'
import type { Expectation } from '../../policy/expectations/expectation.ts'
import { type Change, type Difference, differenceOf } from '../../policy/explain/difference.ts'
import { findOpening } from '../../policy/opening.ts'
import { DEFAULT_RULE_NAME, type Policy } from '../../policy/policy.ts'
import { Subject } from '../../policy/subject.ts'
import type { Switches } from '../../policy/switches.ts'
import { findExemption } from '../../proxy-settings/exemptions.ts'
import type { Identity } from '../../request/decision-request.ts'
import { sentUrl } from '../../request/target.ts'
import { problem } from '../responses.ts'
import {
  type Administration,
  administrationCall,
  bounded,
  type CallResult,
  clientAddress,
  isoTime,
  userName,
} from './call.ts'

/** For each pair of rules. */
const MAXIMUM_HOSTS = 5
const MAXIMUM_PAIRS = 100

const file = parsed('the name of a file that ends in .toml, without a folder', (name) =>
  /^[^/\\\p{C}]{1,200}\.toml$/u.test(name) ? name : undefined,
)

type Listed = Expectations['expectations'][number]
type Opened = Pick<Listed, 'opened_by' | 'opened_until'>

export function expectationCalls(administration: Administration) {
  const { portal, policies, state, stopped, clock } = administration
  const sender = z.strictObject({ client: clientAddress, user: userName(policies).optional() })
  return {
    ...administrationCall('expectations', sender, async ({ client, user }) => {
      const now = clock()
      const { current } = policies
      // At once: a reload may replace the policy meanwhile.
      const judged = current.expectations.map((one) =>
        judge(current, portal.names, state.switches, one, { client, user }, now),
      )
      const expectations = await Promise.all(
        judged.map(async ({ listed, expectation, here }) => {
          const request = { ...expectation.request, client, user }
          return { ...listed, ...(await openedBy(administration, request, here)) }
        }),
      )
      return { time: isoTime(now), revision: current.revision, expectations }
    }),
    ...administrationCall('diff', z.strictObject({ file }), async ({ file }): Promise<CallResult<'diff'>> => {
      const { current } = policies
      try {
        return await policies.withDraft(file, async ({ path, policy, portalNames, rejections }) => {
          const before = { policy: policies.current, portalNames: portal.names }
          const difference = await differenceOf(stopped.all(), before, { policy, portalNames }, clock())
          return describeDifference(path, difference, rejections)
        })
      } catch (error) {
        if (error instanceof ConfigProblems) return { refused: problem(400, bounded(error.problems).join('\n')) }
        // Its lists can no longer be searched.
        if (policies.current !== current)
          return { refused: problem(409, 'The policy was reloaded meanwhile: try again.') }
        throw error
      }
    }),
  }
}

function judge(
  policy: Policy,
  portalNames: readonly string[],
  switches: Switches,
  expectation: Expectation,
  sender: Identity,
  now: number,
) {
  const { request, at = now } = expectation
  const decide = (one: Identity, at: number) => ruledBy(policy, portalNames, new Subject({ ...request, ...one }, at))
  const { client, user } = request
  const own = decide({ client, user }, at)
  const isOther = (ruled: Ruled) => ruled.verdict !== own.verdict || ruled.rule !== own.rule
  const isSent = !isOther(decide({ client: sender.client, user }, now))
  const alone: Listed['differs_by'] = [
    ...(isOther(decide({ client: sender.client, user }, at)) ? (['client'] as const) : []),
    ...(isOther(decide({ client, user }, now)) ? (['time'] as const) : []),
  ]
  const isDependent = portalNames.includes(request.host)
    ? undefined
    : [new Subject({ ...request, ...sender }, now), new Subject(request, at)]
        .map((subject) => ruleThatDependsOn(policy, subject, ['users', 'groups']))
        .find((rule) => rule !== undefined)
  const isExempt = request.destination.scheme === 'https://'
  const here = decide(sender, now)
  // Rules with a switch that is on decide about what is sent, too.
  const switched = ruledBy(policy, portalNames, new Subject({ ...request, ...sender }, now, switches))
  const listed: Omit<Listed, keyof Opened> = {
    ...describeExpectation(expectation),
    ruled: describeRuled(own),
    fault: faultOf(expectation, policy, portalNames) ?? null,
    differs_by: isSent ? [] : alone.length > 0 ? alone : ['client', 'time'],
    depends_on_user: user === sender.user ? null : (isDependent?.name ?? null),
    switch: switched.rule === here.rule ? null : (switched.rule?.switch ?? null),
    exempt: isExempt && findExemption(policy.inspection, request.host, sender.client) !== undefined,
  }
  return { listed, expectation, here }
}

/** Rules alone count for an expectation; a request that is sent now may be open in spite of them. */
async function openedBy(
  { policies: { current }, state, clock }: Administration,
  request: Expectation['request'],
  { verdict, rule }: Ruled,
): Promise<Opened> {
  const opened = (by: string | null, until?: number): Opened => {
    return { opened_by: by, opened_until: until === undefined ? null : isoTime(until) }
  }
  if (verdict === 'allow') return opened(null)
  const subject = new Subject(request, clock(), state.switches)
  const { permission } = findOpening(current, subject, state.permissionsFor(subject.host))
  if (permission !== undefined) return opened(`a permission of ${permission.by}`, permission.expiresAt)
  if (rule === undefined || (verdict !== 'warn' && verdict !== 'aup')) return opened(null)
  const hasSession = state.hasSession(rule.name, request) || (await state.findSession(rule.name, request))
  return opened(hasSession ? `a session of the rule "${rule.name}"` : null)
}

function describeExpectation({ request, client, at, verdict, rule, place }: Expectation) {
  return {
    ...{ place, url: sentUrl(request), user: request.user ?? null, client: client ?? null },
    ...{ at: at === undefined ? null : isoTime(at), verdict, rule: rule ?? null },
  }
}

function describeRuled({ verdict, rule, isPortal }: Ruled) {
  const { name = DEFAULT_RULE_NAME, line = null } = rule ?? {}
  return { verdict, rule: isPortal ? null : { name, line } }
}

function describeDifference(path: string, difference: Difference, rejections: readonly string[]): PolicyDifference {
  const { stopped, since, open, opens, changes, expected } = difference
  const describeChanges = ({ requests, people, by }: Difference['opens']) => {
    return { requests, people, by: by.slice(0, MAXIMUM_PAIRS).map(describeChange) }
  }
  return {
    file: path,
    stopped,
    since: since === undefined ? null : isoTime(since),
    open,
    opens: describeChanges(opens),
    changes: describeChanges(changes),
    expected: expected.map(({ expectation, before, after }) => {
      return { ...describeExpectation(expectation), before: describeRuled(before), after: describeRuled(after) }
    }),
    rejections: bounded(rejections),
  }
}

function describeChange({ before, after, requests, people, hosts }: Change) {
  return {
    ...{ before: describeRuled(before), after: describeRuled(after), requests, people },
    hosts: hosts.slice(0, MAXIMUM_HOSTS).map(([host, requests]) => ({ host, requests })),
  }
}
