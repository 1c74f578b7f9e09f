// What a policy loses only if an administrator accepts it: a file that was emptied, cut or half written has fewer rules, and
// would open what they stop.
import type { Group } from '../group.ts'
import type { Policy } from '../policy.ts'

/** How much a policy's file contains, also one with problems. */
export interface Extent {
  /** Its path, for problems. */
  readonly path: string
  readonly rules: number
  readonly expectations: number
  /** Undefined where the key has a problem. */
  readonly default: Policy['default'] | undefined
  /** Entries of `[gateway] internal`; undefined where the section has a problem. */
  readonly internal: number | undefined
  readonly groups: readonly Group[]
}

export const REMEDY = 'To accept it: gatewayctl engine reload --accept-losses'

/**
 * A problem for each loss; none where either extent is not known.
 * @param accepted that of the policy that came into force last
 */
export function lossesOf(accepted: Extent | undefined, candidate: Extent | undefined): readonly string[] {
  if (accepted === undefined || candidate === undefined) return []
  const { path } = candidate
  const counts = [
    [path, 'its rules', candidate.rules, accepted.rules],
    // They come last: a cut within the last rule loses its exceptions, or that it is locked, and all of these.
    [path, 'its expectations', candidate.expectations, accepted.expectations],
    [path, 'gateway.internal', candidate.internal, accepted.internal],
    ...comparedFiles(accepted, candidate).flatMap(({ file, before }) =>
      file.acceptsLossFrom === before ? [] : [[`${file.place}: ${file.path}`, 'its users', file.size, before] as const],
    ),
  ] as const
  const losses = counts.flatMap(([thing, what, now = Infinity, before = 0]) => {
    const rule = halfLost(what, now, before)
    return rule === undefined ? [] : [`${thing} ${rule}`]
  })
  if (accepted.default !== 'block' || candidate.default !== 'allow') return losses
  return [...losses, `${path} must not lose default = "block"; it is now "allow". ${REMEDY}`]
}

/** For the log: the losses that a group's file accepts itself, which `lossesOf` leaves out. */
export function acceptedLossesOf(accepted: Extent | undefined, candidate: Extent | undefined): readonly string[] {
  if (accepted === undefined || candidate === undefined) return []
  return comparedFiles(accepted, candidate).flatMap(({ file: { place, path, size, acceptsLossFrom }, before }) =>
    acceptsLossFrom === before
      ? [`${place}: ${path} has ${size} users instead of ${before}, as its first line accepts`]
      : [],
  )
}

/** Another file is another group. */
function comparedFiles(accepted: Extent, candidate: Extent) {
  return candidate.groups.flatMap(({ name, file }) => {
    const before = accepted.groups.find((group) => group.name === name)?.file
    return file === undefined || file.path !== before?.path ? [] : [{ file, before: before.size }]
  })
}

/** How much of a list there is to stop, and how many exceptions take something off it. */
export interface Stopping {
  readonly names: number
  readonly exceptions: number
}

/**
 * The rule that is broken where new exceptions may take off half of what a list stops, worded to follow its name: as if each took
 * off one name. A list that had more exceptions than names may have twice as many.
 */
export function lostToExceptions(now: Stopping, before: Stopping, remedy = REMEDY): string | undefined {
  if (now.exceptions <= before.exceptions) return undefined
  const [left, had] = [now.names - now.exceptions, before.names - before.exceptions]
  if (had > 0 ? left * 2 > had : now.exceptions <= 2 * before.exceptions) return undefined
  const [is, was] = [now, before].map(({ names, exceptions }) => `${exceptions} for ${names} names`)
  return `must not lose half of its names to exceptions; it has ${is}, and the last accepted one ${was}. ${remedy}`
}

/** The rule that is broken where half has been lost, worded to follow the name of the thing. */
export function halfLost(what: string, now: number, before: number, remedy = REMEDY): string | undefined {
  if (before === 0 || now * 2 > before) return undefined
  return `must not lose half of ${what}; it has ${now}, and the last accepted one ${before}. ${remedy}`
}
