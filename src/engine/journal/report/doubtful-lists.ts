// Which lists stop what nothing else in the policy names. A list of gambling sites that alone names the site of a museum is
// doubted first.
import { findPattern } from '../../../network/host-pattern.ts'
import { startTurn } from '../../event-loop.ts'
import { hostEntry } from '../../policy/conditions.ts'
import type { Policy } from '../../policy/policy.ts'
import { HostSubject } from '../../policy/subject.ts'
import type { HostTotal, SourceTotal } from './totals.ts'

/** Numbers of requests that the list stopped. */
export interface DoubtfulList {
  readonly list: string
  readonly stopped: number
  /** For the hosts about which the others were asked. */
  readonly asked: number
  /** For those of them that nothing else names; null where the list is not loaded. */
  readonly alone: number | null
  readonly hosts: readonly { readonly host: string; readonly requests: number }[]
}

/** Those that stopped most. */
const MAXIMUM_LISTS = 100

type Judged = Pick<Policy, 'lists' | 'rules'>

/**
 * The most doubtful first.
 * @param hosts those that each list stopped most
 * @param shown of the hosts of each list
 * @throws {Error} where a reload has replaced the lists meanwhile
 */
export async function doubtfulLists(
  policy: Judged,
  sources: readonly SourceTotal[],
  hosts: readonly HostTotal[],
  shown: number,
): Promise<readonly DoubtfulList[]> {
  const stoppedBy = sums(sources.flatMap(({ list, requests }) => (list === null ? [] : [[list, requests] as const])))
  const hostsOf = Map.groupBy(hosts, ({ list }) => list)
  const nameElsewhere = createNameElsewhere(policy)
  const found: DoubtfulList[] = []
  const turn = startTurn()
  for (const [list, stopped] of [...stoppedBy].slice(0, MAXIMUM_LISTS)) {
    const asked = sums((hostsOf.get(list) ?? []).map(({ host, requests }) => [host, requests] as const))
    const alone: { host: string; requests: number }[] = []
    for (const [host, requests] of asked) {
      if (turn.isOver()) await turn.next()
      if (!nameElsewhere(host, list)) alone.push({ host, requests })
    }
    const isLoaded = policy.lists.some(({ name }) => name === list)
    found.push({
      list,
      stopped,
      asked: total(asked.values()),
      alone: isLoaded ? total(alone.map(({ requests }) => requests)) : null,
      hosts: isLoaded ? alone.slice(0, shown) : [],
    })
  }
  return found.sort((one, other) => (other.alone ?? 0) - (one.alone ?? 0) || other.stopped - one.stopped)
}

/** Whether a list other than this one, or a pattern of a rule with a category, names the host. */
function createNameElsewhere({ lists, rules }: Judged): (host: string, list: string) => boolean {
  const patterns = rules.flatMap(({ category, match }) =>
    category === undefined || match === undefined ? [] : [match],
  )
  return (host, list) => {
    const subject = new HostSubject(host)
    const others = lists.filter(({ name }) => name !== list)
    if (hostEntry(others, subject) !== undefined) return true
    return patterns.some((match) => {
      const found = findPattern(match, { suffixes: subject.suffixes, path: 'ambiguous' }, false)
      // A pattern for every host names none.
      return found === 'ambiguous' || (found !== undefined && found.host !== '')
    })
  }
}

/** The most first. */
function sums(entries: readonly (readonly [name: string, requests: number])[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>()
  for (const [name, requests] of entries) all.set(name, (all.get(name) ?? 0) + requests)
  return new Map([...all].sort(([, one], [, other]) => other - one))
}

function total(numbers: Iterable<number>): number {
  let sum = 0
  for (const number of numbers) sum += number
  return sum
}
