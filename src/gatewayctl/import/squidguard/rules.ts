// The rules of the policy.
import type { Configuration, PassEntry } from './configuration.ts'
import type { List } from './destinations.ts'
import { nameOf, uniqueName } from './names.ts'
import type { Notes } from './notes.ts'
import { isTerminal, type Scope, timelineOf } from './scopes.ts'
import type { SourceConditions } from './sources.ts'
import type { Schedules, When } from './times/schedules.ts'
import { both, isNever, not, type Timeline } from './times/timeline.ts'

interface Hosts {
  readonly lists?: readonly string[]
  readonly match?: readonly string[]
}

export interface Rule extends SourceConditions, Hosts {
  readonly name: string
  /** The destination. */
  readonly category?: string
  readonly action: 'allow' | 'block'
  readonly when?: When
  readonly except?: Hosts
}

/** Hosts that are written as addresses. squidGuard's `in-addr` has only those of IPv4. */
const ADDRESSES = ['0.0.0.0/0', '::/0']

/** What an entry of `pass` is about, and when. */
interface Part {
  readonly name: string
  readonly category?: string
  readonly hosts: Hosts
  readonly timeline: Timeline
}

export function rulesOf(
  configuration: Configuration,
  scopes: readonly Scope[],
  lists: ReadonlyMap<string, List>,
  schedules: Schedules,
  notes: Notes,
): readonly Rule[] {
  const taken = new Set(['default'])
  return scopes.flatMap((scope) => {
    const { source, pass } = scope
    const end = pass.findIndex(isTerminal)
    const entries = end === -1 ? pass : pass.slice(0, end)
    // What the source passes is left to those below it.
    const isContinued = source?.isContinued === true
    const rules: Rule[] = []
    const passed: Part[] = []

    function add(part: Part, isPassed: boolean): void {
      if (isPassed && isContinued) {
        passed.push(part)
        return
      }
      const { name, category, hosts } = part
      for (const { timeline, except } of excepting(passed, part.timeline)) {
        const alternatives = source?.alternatives ?? [{}]
        for (const when of schedules.whensOf(timeline)) {
          for (const conditions of alternatives) {
            rules.push({
              name: uniqueName(source === undefined ? name : `${source.name}-${name}`, taken),
              ...(category !== undefined && { category }),
              ...{ ...conditions, ...hosts },
              ...(when !== undefined && { when }),
              ...(Object.keys(except).length > 0 && { except }),
              action: isPassed ? 'allow' : 'block',
            })
          }
        }
      }
    }

    for (const entry of entries) {
      const part = partOf(entry, scope, configuration, lists, notes)
      if (part !== undefined) add(part, entry.isPassed)
    }
    const isPassed = pass[end]?.name !== 'none'
    // The policy's default is that of everyone.
    if (source === undefined || (isPassed && isContinued)) return rules
    add({ name: isPassed ? 'all' : 'none', hosts: {}, timeline: scope.timeline }, isPassed)
    return rules
  })
}

interface Piece {
  readonly timeline: Timeline
  readonly except: Hosts
}

/** Exceptions have no hours of their own: what the timeline consists of, by what is passed then. */
function excepting(passed: readonly Part[], whole: Timeline): readonly Piece[] {
  const possible = (pieces: readonly Piece[]) => pieces.filter(({ timeline }) => !isNever(timeline))
  // At each step: every part would double them otherwise.
  return passed.reduce<readonly Piece[]>(
    (pieces, part) =>
      possible(
        pieces.flatMap(({ timeline, except }) => [
          { timeline: both(timeline, part.timeline), except: joined(except, part.hosts) },
          { timeline: both(timeline, not(part.timeline)), except },
        ]),
      ),
    possible([{ timeline: whole, except: {} }]),
  )
}

function joined(one: Hosts, other: Hosts): Hosts {
  const [lists, match] = [
    [...(one.lists ?? []), ...(other.lists ?? [])],
    [...(one.match ?? []), ...(other.match ?? [])],
  ]
  return { ...(lists.length > 0 && { lists }), ...(match.length > 0 && { match }) }
}

function partOf(
  { name, isPassed, line }: PassEntry,
  { timeline }: Scope,
  configuration: Configuration,
  lists: ReadonlyMap<string, List>,
  notes: Notes,
): Part | undefined {
  if (name === 'in-addr') return { name, hosts: { match: isPassed ? ADDRESSES.slice(0, 1) : ADDRESSES }, timeline }
  if (name.startsWith('dnsbl')) {
    notes.add(line, `${name}: lists in DNS are not asked`)
    return undefined
  }
  const destination = configuration.destinations.find((one) => one.name === name)
  if (destination === undefined) {
    notes.add(line, `${name}: there is no such destination; squidGuard would pass everything`)
    return undefined
  }
  const active = timelineOf(destination.time, configuration, notes)
  const list = lists.get(name)
  if (active === undefined || list === undefined) return undefined
  return { name, category: nameOf(name), hosts: { lists: [list.name] }, timeline: both(timeline, active) }
}
