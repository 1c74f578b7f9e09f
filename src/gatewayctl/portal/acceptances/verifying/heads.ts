// Verifies the heads themselves: signatures, each portal's chain, and that every exported head is still in the ledger.
import { headHash, isSigned } from '../../../../ledger/heads/head.ts'
import type { HeadRecord } from '../../../../ledger/schema.ts'
import type { Findings } from './findings.ts'

/** A head whose leaves are to be verified. */
export interface KnownHead extends HeadRecord {
  /** `until` of the head before: what was completed earlier was covered by then. Null without one. */
  readonly coveredUntil: string | null
}

/**
 * @param stored of the ledger
 * @param exported of a file outside; empty without one. Each replaces the stored one
 * @returns all of them, oldest first
 */
export function verifyHeads(
  stored: readonly HeadRecord[],
  exported: readonly HeadRecord[],
  findings: Findings,
): readonly KnownHead[] {
  const heads = new Map(stored.map((head) => [nameOf(head), head]))
  for (const head of exported) {
    const found = heads.get(nameOf(head))
    if (found === undefined) report(head, 'removed', 'it was exported, and is not in the ledger')
    else if (headHash(found) !== headHash(head) || !isSigned(found))
      report(head, 'changed', 'it differs from the exported head')
    heads.set(nameOf(head), head)
  }
  const all = [...heads.values()].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.number - b.number))
  const byHash = new Map(all.map((head) => [headHash(head), head]))
  const exportedKeys = new Set(exported.map(({ key }) => key))
  for (const chain of Map.groupBy(all, ({ portal }) => portal).values()) verifyChain(chain)
  return all.map((head) => ({ ...head, coveredUntil: byHash.get(`${head.previous}`)?.until ?? null }))

  function verifyChain(chain: readonly HeadRecord[]): void {
    const sorted = chain.toSorted((a, b) => a.number - b.number)
    const key = sorted[0]?.key
    if (key !== undefined && exported.length > 0 && !exportedKeys.has(key)) {
      report(sorted[0] as HeadRecord, 'inserted', `its key ${key} is in no exported head`)
    }
    let previous: HeadRecord | undefined
    for (const head of sorted) {
      if (!isSigned(head)) report(head, 'changed', 'its signature is not valid')
      if (head.key !== key) report(head, 'inserted', "it is signed by another key than its portal's heads")
      const expected = (previous?.number ?? 0) + 1
      if (head.number !== expected) {
        const missing =
          head.number - 1 === expected ? `head ${expected} is` : `heads ${expected} to ${head.number - 1} are`
        report(head, 'removed', `${missing} missing before it`)
      } else if (
        previous === undefined
          ? head.previous !== null && !byHash.has(head.previous)
          : headHash(previous) !== head.previous
      ) {
        report(
          head,
          previous === undefined ? 'removed' : 'changed',
          'the head that it follows is not the one it was signed for',
        )
      }
      previous = head
    }
  }

  function report(head: HeadRecord, problem: 'changed' | 'removed' | 'inserted', detail: string): void {
    findings.add({ what: 'head', problem, at: head.at, id: nameOf(head), jti: null, detail })
  }
}

const nameOf = ({ portal, number }: Pick<HeadRecord, 'portal' | 'number'>): string => `${portal}/${number}`
