// The part of a reload that breaks no expectation: an update of a list that breaks one stays out, and the rest comes into force.
import type { DomainList } from '../lists/domain-list.ts'
import type { LoadedLists } from '../lists/list-loader.ts'
import type { Policy } from '../policy.ts'
import type { Broken } from './broken.ts'

export interface Acceptable {
  readonly policy: Policy
  readonly lists: LoadedLists
  /** What this breaks whatever the lists have: empty where it may come into force. */
  readonly broken: readonly Broken[]
}

/** @param brokenBy the expectations that a policy breaks, without those that the one in force breaks */
export function acceptableOf(
  loaded: LoadedLists,
  build: (lists: readonly DomainList[]) => Policy,
  brokenBy: (policy: Policy) => readonly Broken[],
): Acceptable {
  const kept = new Map<string, string>()
  for (;;) {
    const lists = loaded.keeping(kept)
    const policy = build(lists.lists)
    const broken = brokenBy(policy)
    const [first] = broken
    if (first === undefined || lists.updated.length === 0) return { policy, lists, broken }
    const rejection = `must not break ${first.text}`
    const isCause = (name: string) => {
      const without = build(loaded.keeping(new Map([...kept, [name, rejection]])).lists)
      return brokenBy(without).every(({ key }) => key !== first.key)
    }
    const culprit = lists.updated.find(isCause)
    // Where no update alone breaks it, all of them do.
    for (const name of culprit === undefined ? lists.updated : [culprit]) kept.set(name, rejection)
  }
}
