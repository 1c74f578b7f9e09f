// Another policy's file, read as a reload would read it, without coming into force: to be compared with the one that is.
import type { ReadFile } from '../../../settings/file.ts'
import { ConfigProblems } from '../../../settings/problems.ts'
import { type Broken, brokenIn } from '../expectations/broken.ts'
import { type DomainList, type ListSource, sourceOf } from '../lists/domain-list.ts'
import { createListLoader } from '../lists/list-loader.ts'
import { megabytesLeft } from '../lists/lists-memory.ts'
import type { Policy } from '../policy.ts'
import { type Extent, lossesOf } from './losses.ts'
import { readTracked } from './tracked-reading.ts'

export interface Draft {
  readonly path: string
  /** Its lists that are in force, too, have the names that are in force. */
  readonly policy: Policy
  /** Canonical. */
  readonly portalNames: readonly string[]
  /** Losses, and expectations that it breaks: why a reload would keep the policy. */
  readonly rejections: readonly string[]
}

interface DraftedSettings {
  readonly portal: { readonly names: readonly string[] } | undefined
  readonly buildPolicy: ((lists: readonly DomainList[]) => Policy) | undefined
  readonly lists: readonly ListSource[]
  readonly extent: Extent | undefined
  readonly listsMemory: number
  readonly problems: readonly string[]
}

export interface DraftOptions {
  readonly load: (readFile: ReadFile, path: string) => DraftedSettings
  readonly path: string
  readonly accepted: Extent | undefined
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** The policy in force: read once the draft's own lists have been. */
  readonly inForce: () => { readonly policy: Policy; readonly broken: readonly Broken[] }
}

/**
 * @param use gets the draft, whose own lists are freed afterwards
 * @throws {ConfigProblems}
 */
export async function withDraft<T>(options: DraftOptions, use: (draft: Draft) => Promise<T>): Promise<T> {
  const { settings, changes } = readTracked(options.load, options.path)
  const { buildPolicy, portal, extent, problems } = settings
  if (buildPolicy === undefined || problems.length + changes.length > 0)
    throw new ConfigProblems([...problems, ...changes])
  const { lists: known } = options.inForce().policy
  const isKnown = (list: ListSource) => known.some((one) => isSame(one, list))
  const names = known.reduce((sum, { table }) => sum + table.hashes, 0)
  const loader = createListLoader({ copies: undefined, clock: options.clock })
  try {
    const others = settings.lists.filter((list) => !isKnown(list))
    const loaded = await loader.load(others, megabytesLeft(settings.listsMemory, names), true)
    if (loaded.missing.length > 0) throw new ConfigProblems(loaded.missing)
    const { policy, broken } = options.inForce()
    const policyOf = buildPolicy(
      settings.lists.flatMap((list) => [...policy.lists, ...loaded.lists].find((one) => isSame(one, list)) ?? []),
    )
    const portalNames = portal?.names ?? []
    const before = new Set(broken.map(({ key }) => key))
    const breaks = brokenIn(policyOf, portalNames).filter(({ key }) => !before.has(key))
    const rejections = [...lossesOf(options.accepted, extent), ...breaks.map(({ text }) => text)]
    return await use({ path: options.path, policy: policyOf, portalNames, rejections })
  } finally {
    loader.discard()
    loader.close()
  }
}

function isSame(one: ListSource, other: ListSource): boolean {
  return one.name === other.name && sourceOf(one) === sourceOf(other)
}
