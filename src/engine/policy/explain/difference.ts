// What another policy would decide about requests that were stopped, and about the expectations of both.
import { startTurn } from '../../event-loop.ts'
import type { StoppedRequest } from '../../monitoring/stopped-requests.ts'
import { parseUser } from '../../request/user.ts'
import { keyOf, type Ruled, ruledBy } from '../expectations/broken.ts'
import type { Expectation } from '../expectations/expectation.ts'
import type { Policy } from '../policy.ts'
import { Subject } from '../subject.ts'

export interface Judge {
  readonly policy: Pick<Policy, 'rules' | 'default' | 'affixes' | 'expectations'>
  readonly portalNames: readonly string[]
}

/** Requests that one rule stops in force, and about which the other policy decides the same otherwise. */
export interface Change {
  readonly before: Ruled
  readonly after: Ruled
  readonly requests: number
  readonly people: number
  /** How many of the requests are for each, most first. */
  readonly hosts: readonly (readonly [host: string, requests: number])[]
}

export interface Difference {
  /** The requests that were compared. */
  readonly stopped: number
  /** When the oldest of them was stopped: milliseconds since the epoch. */
  readonly since: number | undefined
  /** Of these, those that the policy in force would allow now. */
  readonly open: number
  /** That the other policy allows; most requests first. */
  readonly opens: Changes
  /** That it stops by another rule or with another verdict. */
  readonly changes: Changes
  /** Expectations that the two decide differently. */
  readonly expected: readonly { readonly expectation: Expectation; readonly before: Ruled; readonly after: Ruled }[]
}

interface Changes {
  readonly requests: number
  /** Users and, where the proxy names none, networks of clients. */
  readonly people: number
  readonly by: readonly Change[]
}

/**
 * @param now for expectations that name no time: milliseconds since the epoch
 * @throws {Error} where a reload has replaced the lists meanwhile
 */
export async function differenceOf(
  stopped: Iterable<StoppedRequest>,
  before: Judge,
  after: Judge,
  now: number,
): Promise<Difference> {
  const [opens, changes] = [collector(), collector()]
  let [count, open] = [0, 0]
  let since: number | undefined
  const turn = startTurn()
  for (const { request, at } of stopped) {
    if (turn.isOver()) await turn.next()
    count++
    if (since === undefined || at < since) since = at
    const decide = ({ policy, portalNames }: Judge) => {
      const user = request.user && parseUser(request.user, policy.affixes)
      return ruledBy(policy, portalNames, new Subject({ ...request, user }, at))
    }
    const [was, is] = [decide(before), decide(after)]
    if (was.verdict === 'allow') open++
    else if (is.verdict === 'allow') opens.add(was, is, request)
    else if (is.verdict !== was.verdict || is.rule?.name !== was.rule?.name) changes.add(was, is, request)
  }
  const all = new Map([...before.policy.expectations, ...after.policy.expectations].map((one) => [keyOf(one), one]))
  const expected = [...all.values()].flatMap((expectation) => {
    const subject = new Subject(expectation.request, expectation.at ?? now)
    const [was, is] = [before, after].map(({ policy, portalNames }) => ruledBy(policy, portalNames, subject)) as [
      Ruled,
      Ruled,
    ]
    return is.verdict === was.verdict ? [] : [{ expectation, before: was, after: is }]
  })
  return { stopped: count, since, open, opens: opens.result(), changes: changes.result(), expected }
}

function collector() {
  const all = new Map<
    string,
    { before: Ruled; after: Ruled; people: Set<string>; hosts: Map<string, number>; requests: number }
  >()
  const everybody = new Set<string>()
  return {
    add(before: Ruled, after: Ruled, { host, user, client }: StoppedRequest['request']) {
      const key = JSON.stringify([before, after].map(({ verdict, rule }) => [verdict, rule?.name]))
      const found = all.get(key) ?? {
        before,
        after,
        people: new Set<string>(),
        hosts: new Map<string, number>(),
        requests: 0,
      }
      all.set(key, found)
      // No user has a name like this.
      const person = user ?? `\n${client.network}`
      everybody.add(person)
      found.people.add(person)
      found.hosts.set(host, (found.hosts.get(host) ?? 0) + 1)
      found.requests++
    },
    result(): Changes {
      const by = [...all.values()]
        .map(({ people, hosts, ...rest }): Change => ({ ...rest, people: people.size, hosts: mostFirst(hosts) }))
        .sort((one, other) => other.requests - one.requests)
      return { requests: by.reduce((sum, { requests }) => sum + requests, 0), people: everybody.size, by }
    },
  }
}

function mostFirst(counts: ReadonlyMap<string, number>): Change['hosts'] {
  return [...counts].sort(([, one], [, other]) => other - one)
}
