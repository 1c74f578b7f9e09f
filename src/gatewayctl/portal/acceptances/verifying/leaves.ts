// Verifies the leaves of one head, or of one copy, against its root, and the attempts against their leaves.
import type { Transaction } from 'kysely'
import { entryLeaf } from '../../../../ledger/heads/entry.ts'
import {
  asCovered,
  attemptLeaf,
  COVERED_COLUMNS,
  type CoveredAttempt,
  completedAt,
  LATE_MS,
  unanswered,
} from '../../../../ledger/heads/leaf.ts'
import { treeHash } from '../../../../ledger/heads/merkle.ts'
import { LEAF_COLUMNS, type LeafRecord, type LedgerTables } from '../../../../ledger/schema.ts'
import { type Entries, readEntries } from './entries.ts'
import { type Findings, recordedAt } from './findings.ts'

/** The leaves under one root. */
export interface LeafGroup {
  /** As in the columns of a leaf. */
  readonly portal: string
  readonly head: number
  readonly at: string
  readonly size: number
  readonly root: string | null
  /** What was completed before this had been covered; null if that is not known. */
  readonly coveredUntil: string | null
}

export interface GroupCounts {
  readonly attempts: number
  readonly deleted: number
}

/** More rows than the head has leaves are reported, not read. */
const EXCESS = 100

export async function verifyLeaves(
  transaction: Transaction<LedgerTables>,
  group: LeafGroup,
  known: Entries,
  findings: Findings,
): Promise<GroupCounts> {
  const { portal, head } = group
  // An entry may have been tampered with.
  const size = Math.max(0, group.size)
  const leaves = await transaction
    .selectFrom('ledger_leaf')
    .select(LEAF_COLUMNS)
    .where('portal', '=', portal)
    .where('head', '=', head)
    .orderBy('position')
    .limit(size + EXCESS)
    .execute()
  const attempts = await attemptsOf(transaction, group)
  // A deletion may be newer than the entries that are known.
  const isOutdated = leaves.some((leaf) => !isExplained(leaf, known))
  const entries = isOutdated ? await readEntries(transaction) : known
  const title = `head ${portal}/${head}`
  let [covered, deleted] = [0, 0]
  /** By position: the hash that the attempt as it is has, if it differs. */
  const differing = new Map<
    number,
    { readonly hash: string; readonly attempt: CoveredAttempt; readonly leaf: LeafRecord }
  >()

  for (const [index, leaf] of leaves.entries()) {
    const { position, attempt_id, entry_id } = leaf
    const id = `${portal}/${head}/${position}`
    const report = (what: 'leaf' | 'entry', problem: 'changed' | 'removed' | 'inserted', detail: string) =>
      findings.add({ what, problem, at: group.at, id, jti: null, detail })
    if (position >= size) report('leaf', 'inserted', `${title} has only ${size} leaves`)
    const expected = leaves[index - 1]?.position ?? -1
    if (position > expected + 1 && position < size) reportGap(expected + 1, position - 1)
    if (entry_id !== null) {
      const entry = entries.get(entry_id)
      if (entry === undefined) report('entry', 'removed', `entry ${entry_id} is missing`)
      else if (entryLeaf(entry) !== leaf.hash) report('entry', 'changed', `entry ${entry_id} is not as it was covered`)
    } else if (attempt_id === null) {
      deleted++
      if (!entries.isDeleted(leaf)) report('leaf', 'removed', 'its attempt was removed, and no entry says so')
    } else {
      covered++
      const attempt = attempts.get(attempt_id)
      if (attempt === undefined) {
        const at = recordedAt(attempt_id, group.at)
        const detail = `${title} of ${group.at} covers it, and no entry says that it was deleted`
        findings.add({ what: 'attempt', problem: 'removed', at, id: attempt_id, jti: null, detail })
        continue
      }
      const hash = attemptLeaf(asCovered(attempt, leaf), `${leaf.salt}`)
      if (hash !== leaf.hash) differing.set(position, { hash, attempt, leaf })
      else if (isLate(attempt))
        reportAttempt(
          attempt,
          'inserted',
          `completed before ${group.coveredUntil}, yet only in ${title} of ${group.at}`,
        )
    }
  }
  const last = leaves.findLast(({ position }) => position < size)?.position ?? -1
  if (last < size - 1) reportGap(last + 1, size - 1)

  const within = leaves.filter(({ position }) => position < size)
  const hasRoot =
    group.root !== null && within.length === size && treeHash(within.map(({ hash }) => hash)) === group.root
  if (!hasRoot && within.length === size) await verifyRoot()
  for (const { attempt, leaf } of differing.values()) {
    if (!(await wasAnsweredLater(transaction, attempt, leaf)))
      reportAttempt(attempt, 'changed', `not as ${title} of ${group.at} covers it`)
  }
  return { attempts: covered, deleted }

  async function verifyRoot(): Promise<void> {
    const asComputed = within.map(({ position, hash }) => differing.get(position)?.hash ?? hash)
    if (treeHash(asComputed) === group.root) {
      for (const { leaf } of differing.values()) {
        findings.add({
          what: 'leaf',
          problem: 'changed',
          at: group.at,
          id: `${portal}/${head}/${leaf.position}`,
          jti: null,
          detail: 'the leaf was changed, its attempt was not',
        })
      }
      differing.clear()
      return
    }
    const [named = within.find(({ attempt_id }) => attempt_id !== null)] = [...differing.values()].map(
      ({ leaf }) => leaf,
    )
    const detail = `the leaves of ${title} do not have its root: one of its ${size} was changed together with its leaf`
    const at = named?.attempt_id ? recordedAt(named.attempt_id, group.at) : group.at
    findings.add({ what: 'leaf', problem: 'changed', at, id: `${portal}/${head}`, jti: null, detail })
  }

  function reportGap(from: number, to: number): void {
    const before = leaves.findLast(({ position, attempt_id }) => position < from && attempt_id !== null)?.attempt_id
    const which = from === to ? `leaf ${from} is` : `leaves ${from} to ${to} are`
    const detail = `${which} missing${before ? `, after that of attempt ${before}` : ''}`
    const at = before ? recordedAt(before, group.at) : group.at
    findings.add({ what: 'leaf', problem: 'removed', at, id: `${portal}/${head}/${from}`, jti: null, detail })
  }

  function reportAttempt({ id, jti, asked_at }: CoveredAttempt, problem: 'changed' | 'inserted', detail: string): void {
    findings.add({ what: 'attempt', problem, at: recordedAt(id, asked_at), id, jti, detail })
  }

  function isLate(attempt: CoveredAttempt): boolean {
    return group.coveredUntil !== null && completedAt(attempt) < Date.parse(group.coveredUntil) - LATE_MS
  }
}

function isExplained(leaf: LeafRecord, entries: Entries): boolean {
  if (leaf.entry_id !== null) return entries.get(leaf.entry_id) !== undefined
  return leaf.attempt_id !== null || entries.isDeleted(leaf)
}

async function attemptsOf(
  transaction: Transaction<LedgerTables>,
  { portal, head }: LeafGroup,
): Promise<ReadonlyMap<string, CoveredAttempt>> {
  const attempts = await transaction
    .selectFrom('ledger_leaf')
    .innerJoin('attempt', 'attempt.id', 'ledger_leaf.attempt_id')
    .innerJoin('acceptance', 'acceptance.jti', 'attempt.jti')
    .select(COVERED_COLUMNS)
    .where('ledger_leaf.portal', '=', portal)
    .where('ledger_leaf.head', '=', head)
    .execute()
  return new Map(attempts.map((attempt) => [attempt.id, attempt]))
}

/** Covered while it had no answer, in a ledger that got the answer later by a copy, with a leaf that covers it. */
async function wasAnsweredLater(
  transaction: Transaction<LedgerTables>,
  attempt: CoveredAttempt,
  leaf: LeafRecord,
): Promise<boolean> {
  if (attemptLeaf(unanswered(asCovered(attempt, leaf)), `${leaf.salt}`) !== leaf.hash) return false
  const others = await transaction
    .selectFrom('ledger_leaf')
    .select(LEAF_COLUMNS)
    .where('attempt_id', '=', attempt.id)
    .execute()
  return others.some((other) => attemptLeaf(asCovered(attempt, other), `${other.salt}`) === other.hash)
}
