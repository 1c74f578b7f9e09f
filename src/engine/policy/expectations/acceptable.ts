// The part of a reload that breaks no expectation: an update of groups or of a list that breaks one stays out, and the rest comes
// into force.
import type { DomainList } from '../lists/domain-list.ts'
import type { LoadedLists } from '../lists/list-loader.ts'
import type { Policy } from '../policy.ts'
import type { Broken } from './broken.ts'

interface Buildable {
  readonly buildPolicy: (lists: readonly DomainList[]) => Policy
}

interface Judged {
  readonly policy: Policy
  readonly lists: LoadedLists
  /** What this breaks whatever the lists have: empty where it may come into force. */
  readonly broken: readonly Broken[]
}

export interface Acceptable<Draft> extends Judged {
  readonly draft: Draft
  /** What the settings as they are break, if this is something else. */
  readonly avoided: Broken | undefined
}

/**
 * What breaks nothing: the settings as they are, otherwise another draft, and rather with all updates of lists than without some.
 * @param another called where the settings as they are break something
 * @param brokenBy the expectations that a policy breaks, without those that the one in force breaks
 */
export function acceptableOf<Draft extends Buildable>(
  loaded: LoadedLists,
  asRead: Draft,
  another: () => Draft | undefined,
  brokenBy: (policy: Policy) => readonly Broken[],
): Acceptable<Draft> {
  const whole = (draft: Draft): Judged => {
    const policy = draft.buildPolicy(loaded.lists)
    return { policy, lists: loaded, broken: brokenBy(policy) }
  }
  const part = (draft: Draft): Judged => withoutUpdates(loaded, draft.buildPolicy, brokenBy)
  let found = whole(asRead)
  if (found.broken.length === 0) return { ...found, draft: asRead, avoided: undefined }
  const other = another()
  for (const judge of [whole, part]) {
    if (judge === part) found = part(asRead)
    const [avoided] = found.broken
    if (avoided === undefined) break
    if (other === undefined) continue
    const judged = judge(other)
    if (judged.broken.length === 0) return { ...judged, draft: other, avoided }
  }
  return { ...found, draft: asRead, avoided: undefined }
}

function withoutUpdates(
  loaded: LoadedLists,
  build: Buildable['buildPolicy'],
  brokenBy: (policy: Policy) => readonly Broken[],
): Judged {
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
