// The archives, decrypted and unpacked next to their targets: nothing else has been changed yet.
import { existsSync } from 'node:fs'
import { checkDatabase } from '../../database/check.ts'
import { LEDGER_SCHEMA } from '../../ledger/migrations.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { startProgress } from '../terminal/progress.ts'
import { readDecrypted } from './decrypt.ts'
import type { Machine } from './machine.ts'
import { createStaging, type Staging } from './staging.ts'
import { type Unpacked, unpack } from './unpack.ts'

export interface OpenedArchive extends Unpacked {
  readonly file: string
  readonly kind: 'engine' | 'portal'
  /** When it was made, in ISO 8601; empty if neither it nor its name says so. */
  readonly time: string
  readonly staging: Staging
}

/** Of the portal's archive, which an archive of the engine never has. */
const LEDGER = 'var/lib/portal/portal.db'

/**
 * Opens the archives, and removes what was unpacked after the work.
 * @param work gets the newest first
 * @throws {Failure}
 */
export async function withArchives(
  context: Context,
  machine: Machine,
  files: readonly string[],
  identity: string,
  work: (archives: readonly OpenedArchive[]) => Promise<void>,
): Promise<void> {
  const stagings: Staging[] = []
  const removeAll = () => {
    for (const staging of stagings) staging.remove()
  }
  // After a signal.
  process.once('exit', removeAll)
  try {
    const opened = await openAll(context, machine, files, identity, stagings)
    await work(opened.toSorted((one, other) => other.time.localeCompare(one.time)))
  } finally {
    process.removeListener('exit', removeAll)
    removeAll()
  }
}

async function openAll(
  context: Context,
  { root, owners }: Machine,
  files: readonly string[],
  identity: string,
  stagings: Staging[],
): Promise<readonly OpenedArchive[]> {
  const opened: OpenedArchive[] = []
  const progress = startProgress(context.stderr)
  try {
    for (const [at, file] of files.entries()) {
      const staging = createStaging(root, at, file)
      stagings.push(staging)
      progress.show(`Decrypting ${file} …`)
      const unpacked = await readDecrypted(context, file, identity, (source) => unpack(source, file, staging, owners))
      const kind = unpacked.folders.includes('var/lib/gateway-engine') ? 'engine' : 'portal'
      if (opened.some((other) => other.kind === kind)) {
        throw new Failure(
          `both archives are of the ${kind}: name the one to restore; nothing was changed`,
          EXIT_MISUSED,
        )
      }
      await assertLedgerUsable(file, staging)
      opened.push({ ...unpacked, file, kind, time: timeOf(file, unpacked), staging })
    }
    return opened
  } finally {
    progress.clear()
  }
}

/** Archives of earlier versions have it in their names only. */
function timeOf(file: string, { manifest }: Unpacked): string {
  const [, day = '', time = ''] = /-(\d{8})T(\d{6})Z\.tar\.gz\.age$/.exec(file) ?? []
  const named = day === '' ? '' : `${day.replace(/(....)(..)/, '$1-$2-')}T${time.replace(/(..)(..)/, '$1:$2:')}Z`
  return manifest?.time ?? named
}

/** @throws {Failure} for a ledger of a later version */
async function assertLedgerUsable(file: string, staging: Staging): Promise<void> {
  const path = staging.pathOf(LEDGER)
  if (!existsSync(path)) return
  const { fault } = await checkDatabase({ dialect: 'sqlite', path }, LEDGER_SCHEMA)
  if (fault === undefined) return
  throw new Failure(`${file} is refused: its ledger cannot be used: ${fault}; nothing was changed`)
}
