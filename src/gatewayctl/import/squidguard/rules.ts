// The rules of the policy.
import type { Configuration, PassEntry } from './configuration.ts'
import type { List } from './destinations.ts'
import { nameOf, uniqueName } from './names.ts'
import type { Notes } from './notes.ts'
import { isTerminal, type Scope, weekOf } from './scopes.ts'
import type { SourceConditions } from './sources.ts'
import { both, isNever, not, type Span, spansOf, type Week } from './week.ts'

interface Hosts {
  readonly lists?: readonly string[]
  readonly match?: readonly string[]
}

export interface Rule extends SourceConditions, Hosts {
  readonly name: string
  /** The destination. */
  readonly category?: string
  readonly action: 'allow' | 'block'
  readonly when?: Span
  readonly except?: Hosts
}

/** Hosts that are written as addresses. squidGuard's `in-addr` has only those of IPv4. */
const ADDRESSES = ['0.0.0.0/0', '::/0']

/** What an entry of `pass` is about, and when. */
interface Part {
  readonly name: string
  readonly category?: string
  readonly hosts: Hosts
  readonly week: Week
}

export function rulesOf(
  configuration: Configuration,
  scopes: readonly Scope[],
  lists: ReadonlyMap<string, List>,
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
      for (const { week, except } of excepting(passed, part.week)) {
        for (const conditions of source?.alternatives ?? [{}]) {
          for (const when of whenOf(week)) {
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
    add({ name: isPassed ? 'all' : 'none', hosts: {}, week: scope.week }, isPassed)
    return rules
  })
}

/** Exceptions have no hours of their own: the minutes of the week, by what is passed in them. */
function excepting(passed: readonly Part[], week: Week): readonly { readonly week: Week; readonly except: Hosts }[] {
  return passed.reduce<readonly { readonly week: Week; readonly except: Hosts }[]>(
    (pieces, part) =>
      pieces.flatMap((piece) =>
        [
          { week: both(piece.week, part.week), except: joined(piece.except, part.hosts) },
          { ...piece, week: both(piece.week, not(part.week)) },
        ].filter((one) => !isNever(one.week)),
      ),
    [{ week, except: {} }],
  )
}

function joined(one: Hosts, other: Hosts): Hosts {
  const [lists, match] = [
    [...(one.lists ?? []), ...(other.lists ?? [])],
    [...(one.match ?? []), ...(other.match ?? [])],
  ]
  return { ...(lists.length > 0 && { lists }), ...(match.length > 0 && { match }) }
}

/** A rule for each: the policy's `when` is one span. */
function whenOf(week: Week): readonly (Span | undefined)[] {
  return spansOf(week) ?? [undefined]
}

function partOf(
  { name, isPassed, line }: PassEntry,
  { week }: Scope,
  configuration: Configuration,
  lists: ReadonlyMap<string, List>,
  notes: Notes,
): Part | undefined {
  if (name === 'in-addr') return { name, hosts: { match: isPassed ? ADDRESSES.slice(0, 1) : ADDRESSES }, week }
  if (name.startsWith('dnsbl')) {
    notes.add(line, `${name}: lists in DNS are not asked`)
    return undefined
  }
  const destination = configuration.destinations.find((one) => one.name === name)
  if (destination === undefined) {
    notes.add(line, `${name}: there is no such destination; squidGuard would pass everything`)
    return undefined
  }
  const active = weekOf(destination.time, configuration, notes)
  const list = lists.get(name)
  if (active === undefined || list === undefined) return undefined
  return { name, category: nameOf(name), hosts: { lists: [list.name] }, week: both(week, active) }
}
