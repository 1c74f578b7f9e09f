// Which acl decides for whom, and when: as rules are tried in order, those of the first source come first.
import type { Acl, Configuration, PassEntry, TimeReference } from './configuration.ts'
import type { Notes } from './notes.ts'
import type { ReadSource } from './sources.ts'
import type { Schedules } from './times/schedules.ts'
import { ALWAYS, both, either, isNever, NEVER, not, type Timeline } from './times/timeline.ts'

export interface Scope {
  /** Undefined for everyone. */
  readonly source: ReadSource | undefined
  readonly pass: readonly PassEntry[]
  readonly timeline: Timeline
}

const PASSING = 'squidGuard would pass everything'

/** `any`, `all` and `none` end an acl. */
export function isTerminal({ name }: PassEntry): boolean {
  return name === 'any' || name === 'all' || name === 'none'
}

/** The last one is that of everyone, without a time. */
export function scopesOf(
  configuration: Configuration,
  sources: readonly ReadSource[],
  schedules: Schedules,
  notes: Notes,
): readonly Scope[] {
  const { acls } = configuration
  const scopes: Scope[] = []
  const fallback = defaultPass(configuration, notes)
  const passOf = (acl: Acl) => (acl.pass.length > 0 ? acl.pass : fallback)
  for (const { name, line } of acls) {
    if (name === 'default' || configuration.sources.some((source) => source.name === name)) continue
    notes.add(line, `${name}: there is no such source; ${PASSING}`)
  }
  const last = configuration.sources.findLastIndex(({ name }) => acls.some((acl) => acl.name === name))
  // Those after it, and everyone else, are decided in the same way.
  for (const source of sources.slice(0, last + 1)) {
    const active = timelineOf(source.time, configuration, notes)
    if (active === undefined || source.alternatives.length === 0) continue
    let decided = NEVER
    const add = (pass: readonly PassEntry[], timeline: Timeline) => {
      const whole = both(timeline, active)
      const left = both(whole, not(decided))
      if (isNever(left)) return
      decided = either(decided, left)
      // Where rules above these decide, these may apply, too.
      const timelineOfRules = source.isContinued ? left : schedules.simplest([whole, decided, left])
      scopes.push({ source, pass, timeline: timelineOfRules })
    }
    for (const { acl, timeline } of aclsOf(configuration, source.name, notes)) add(passOf(acl), timeline)
    add(fallback, ALWAYS)
  }
  return [...scopes, { source: undefined, pass: fallback, timeline: ALWAYS }]
}

/** The acls of a source, and when each is in force. */
function aclsOf(
  configuration: Configuration,
  source: string,
  notes: Notes,
): readonly { readonly acl: Acl; readonly timeline: Timeline }[] {
  let before: Timeline | undefined
  return configuration.acls.flatMap((acl) => {
    if (acl.name !== source) return []
    if (acl.time === 'else') {
      if (before === undefined) notes.add(acl.line, 'else: squidGuard uses it only after within or outside')
      return before === undefined ? [] : [{ acl, timeline: not(before) }]
    }
    const timeline = timelineOf(acl.time, configuration, notes)
    before = acl.time === undefined ? undefined : timeline
    return timeline === undefined ? [] : [{ acl, timeline }]
  })
}

/** Undefined where there is no such time. */
export function timelineOf(
  reference: TimeReference | undefined,
  { times }: Configuration,
  notes: Notes,
): Timeline | undefined {
  if (reference === undefined) return ALWAYS
  const time = times.find(({ name }) => name === reference.name)
  if (time !== undefined) return reference.isWithin ? time.timeline : not(time.timeline)
  notes.add(reference.line, `${reference.name}: there is no such time; ${PASSING}`)
  return undefined
}

/** The last default is in force, at any time. */
function defaultPass({ acls }: Configuration, notes: Notes): readonly PassEntry[] {
  const defaults = acls.filter(({ name }) => name === 'default')
  const found = defaults.at(-1)
  for (const { line, time } of defaults) {
    if (time !== undefined) notes.add(line, 'default: squidGuard uses its last block, at any time')
  }
  if (found === undefined) notes.add(1, `there is no acl default; ${PASSING}. Here, the default blocks`)
  return found !== undefined && found.pass.length > 0
    ? found.pass
    : [{ name: 'none', line: found?.line ?? 1, isPassed: false }]
}
