// Databases that settings put where the nightly backup does not copy them: what was restored opens a new, empty one in SQLite, and
// one in PostgreSQL as it is.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readRegularFile } from '../../settings/file.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import type { Environment } from '../../settings/reading.ts'
import { type DatabaseLocation, databaseUrl, loadDatabase } from '../../settings/sections/database.ts'
import type { Finding } from '../doctor/finding.ts'
import { printable, quoted } from '../terminal/printable.ts'

export interface Elsewhere {
  readonly kind: 'state' | 'journal' | 'ledger'
  /** What names it. */
  readonly setting: string
  readonly location: SqliteFile | 'postgres'
}

interface SqliteFile {
  readonly path: string
  /** Whether the archive has a file there, or else this machine had it before the restore. */
  readonly isThere: boolean
}

/** The files that the jobs of deploy/systemd copy, and the one that the ledger is copied to, wherever it is. */
const COPIED = {
  state: '/var/lib/gateway-engine/engine/state.db',
  journal: '/var/lib/gateway-engine/engine/journal.db',
  ledger: '/var/lib/portal/portal.db',
} as const
const FOLDERS = {
  state: 'var/lib/gateway-engine',
  journal: 'var/lib/gateway-engine',
  ledger: 'var/lib/portal',
} as const
const POLICY = '/etc/gateway/engine/policy.toml'

/**
 * Call it before anything is started, which creates what is missing.
 * @param locate where a path of this machine will come from: an archive, or the machine as it is
 */
export async function databasesElsewhere(
  locate: (path: string) => string,
  variables: Environment,
): Promise<readonly Elsewhere[]> {
  const { state, journal } = await engineDatabases(locate(POLICY))
  const nextToState: DatabaseLocation | undefined =
    state?.dialect === 'sqlite' && state.path !== ':memory:'
      ? { ...state, path: resolve(dirname(state.path), 'journal.db') }
      : undefined
  const named = [
    ['state', '[state] url in the policy', state],
    [
      'journal',
      journal === undefined ? '[state] url in the policy' : '[journal] url in the policy',
      journal ?? nextToState,
    ],
    ['ledger', 'GATEWAY_CAPTIVE_DATABASE_URL', ledger(locate, variables)],
  ] as const
  return named.flatMap(([kind, setting, location]): readonly Elsewhere[] => {
    if (location === undefined) return []
    if (location.dialect === 'postgres') return [{ kind, setting, location: 'postgres' }]
    const { path, isRelative } = location
    // A relative path is below the folder of the program, which the sandbox of its unit does not let it write to.
    if (path === ':memory:' || path === COPIED[kind] || isRelative) return []
    return [{ kind, setting, location: { path, isThere: existsSync(locate(path)) } }]
  })
}

/** Undefined where the policy names none, or cannot be read: its own check has that. */
async function engineDatabases(
  path: string,
): Promise<Partial<Record<'state' | 'journal', DatabaseLocation | undefined>>> {
  // The portal's image, in which nothing is restored, has no parser of TOML.
  const { readTomlFile } = await import('../../settings/toml-file.ts')
  const reading = readTomlFile({ path, readFile: readRegularFile, options: [], secretKeys: ['url'] })
  const shape = databaseUrl.optional()
  return { state: reading.parse(shape, ['state', 'url']), journal: reading.parse(shape, ['journal', 'url']) }
}

function ledger(locate: (path: string) => string, variables: Environment): DatabaseLocation | undefined {
  const { GATEWAY_CAPTIVE_DATABASE_URL, GATEWAY_CAPTIVE_DATABASE_URL_FILE } = variables
  try {
    return loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL, GATEWAY_CAPTIVE_DATABASE_URL_FILE }, (path) =>
      readRegularFile(locate(path)),
    )
  } catch (error) {
    if (error instanceof ConfigProblems) return undefined
    throw error
  }
}

/** @param folders that the archives have */
export function elsewhereFindings({
  elsewhere,
  folders,
}: {
  readonly elsewhere: readonly Elsewhere[]
  readonly folders: readonly string[]
}): readonly Finding[] {
  return elsewhere.flatMap(({ kind, setting, location }) => {
    if (location === 'postgres') return [inPostgres(kind, setting)]
    const { path, isThere } = location
    if (!folders.includes(FOLDERS[kind])) return []
    const state = isThere ? 'warning' : 'failing'
    const isArchived = folders.some((folder) => path.startsWith(`/${folder}/`))
    const now = !isThere
      ? 'where no backup has it: it is a new, empty one'
      : isArchived
        ? 'which is backed up while it changes: it may be damaged'
        : 'where no backup has it: it is as it was on this machine'
    const detail = `${setting} puts it in ${printable(path)}, ${now}`
    return [{ check: kind, state, detail, advice: adviceFor(kind, quoted(path)) } as const]
  })
}

function inPostgres(kind: Elsewhere['kind'], setting: string): Finding {
  const [copy, advice] =
    kind === 'ledger'
      ? [
          'the archive of the portal has a copy of it',
          `gatewayctl portal acceptances copy --database-url sqlite:///${COPIED.ledger}, with --to-database-url-file for the new one`,
        ]
      : ['no archive has it', 'restore it with pg_restore (docs/run.md, "Restore a machine")']
  return {
    check: kind,
    state: 'warning',
    detail: `${setting} puts it in PostgreSQL, which is not changed; ${copy}`,
    advice: `if that database is lost: ${advice}`,
  }
}

function adviceFor(kind: Elsewhere['kind'], path: string): string {
  const copied = COPIED[kind]
  return kind === 'ledger'
    ? `the backup's is in ${copied}: gatewayctl portal acceptances copy --database-url sqlite:///${copied} --to-database-url sqlite:///${path}`
    : `systemctl stop gateway-engine; copy it and ${path}-wal from the old machine; systemctl start gateway-engine. Backups have only ${copied}`
}
