// The ledger's entries: which leaves have lost their attempt by a deletion, and which were added by a copy.
import type { Transaction } from 'kysely'
import { headKey, parseLeaves } from '../../../../ledger/heads/entry.ts'
import type { EntryRecord, LeafRecord, LedgerTables } from '../../../../ledger/schema.ts'

export interface Entries {
  all(): readonly EntryRecord[]
  get(id: string): EntryRecord | undefined
  /** Whether an entry says that the leaf's attempt was deleted. */
  isDeleted(leaf: Pick<LeafRecord, 'portal' | 'head' | 'position'>): boolean
}

export async function readEntries(transaction: Transaction<LedgerTables>): Promise<Entries> {
  const all = await transaction.selectFrom('ledger_entry').selectAll().orderBy('id').execute()
  const byId = new Map(all.map((entry) => [entry.id, entry]))
  const deleted = new Map<string, (readonly [number, number])[]>()
  for (const { leaves } of all) {
    for (const [head, spans] of parseLeaves(leaves)) deleted.set(head, [...(deleted.get(head) ?? []), ...spans])
  }
  return {
    all: () => all,
    get: (id) => byId.get(id),
    isDeleted: (leaf) =>
      (deleted.get(headKey(leaf)) ?? []).some(([from, to]) => from <= leaf.position && leaf.position <= to),
  }
}
