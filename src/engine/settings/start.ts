// What a start puts in force: the policy's file, or the copy of the one that was accepted last, where the file has a problem or
// a loss. So a restart accepts nothing that a reload would not, but for broken expectations, which it reports.
import type { ReadFile } from '../../settings/file.ts'
import { readFingerprintSync } from '../../settings/file-fingerprint.ts'
import { listCopiesPath } from '../policy/lists/list-copies.ts'
import { lossesOf } from '../policy/reload/losses.ts'
import { policyCopyPath } from '../policy/reload/policy-copy.ts'
import type { StartingPolicy } from '../policy/reload/policy-store.ts'
import { readTracked, type TrackedReading } from '../policy/reload/tracked-reading.ts'
import type { CommandLine } from './command-line.ts'
import { readSettings, type Settings, type SettingsReading, settingsOf } from './settings.ts'

export interface Start extends Omit<StartingPolicy, 'reading'> {
  /** The policy's file, whether it may come into force or not. */
  readonly inPlace: TrackedReading<SettingsReading>
  /** What comes into force; undefined if neither may. */
  readonly chosen: { readonly reading: TrackedReading<SettingsReading>; readonly settings: Settings } | undefined
  /** The copy, where one exists. */
  readonly copyPath: string | undefined
  /** Why it cannot be used where the file may not come into force. */
  readonly copyProblems: readonly string[]
}

/** What a reload reads. @param inForce since the start */
export function createLoad(commandLine: CommandLine, inForce: Pick<SettingsReading, 'portal' | 'icap'>) {
  return (readFile: ReadFile, path: string) => readSettings(commandLine, readFile, path, inForce)
}

export function chooseStart(commandLine: CommandLine): Start {
  const { config } = commandLine
  const read = (path: string) => readTracked((readFile, at) => readSettings(commandLine, readFile, at), path)
  const inPlace = read(config)
  const { folder, extent, certificates } = inPlace.settings
  const copies = folder === undefined ? [] : findCopies(folder, config)
  const { role, path: copyPath } =
    copies.find((one) => one.role === (certificates?.role ?? 'issuer')) ?? copies[0] ?? {}
  const copy = copyPath === undefined ? undefined : read(copyPath)
  const accepted = copy?.settings.extent
  const problems = [...inPlace.settings.problems, ...inPlace.changes, ...lossesOf(accepted, extent)]
  // Those of options are the file's, too.
  const ofCopy = copy?.settings.problems.filter((problem) => !inPlace.settings.problems.includes(problem)) ?? []
  const isUsable = copy?.settings.problems.length === 0 && copies.length === 1
  const chosen = problems.length === 0 ? inPlace : isUsable ? copy : undefined
  return {
    ...{ policyFile: config, accepted, problems, inPlace, copyPath },
    listCopies: folder && listCopiesPath(folder, certificates?.role ?? role ?? 'issuer', config),
    chosen: chosen && {
      reading: chosen === inPlace ? inPlace : insteadOf(inPlace, chosen),
      settings: settingsOf(chosen.settings),
    },
    warnings:
      copy !== undefined && accepted === undefined ? ofCopy.map((problem) => `${problem}; ${NOT_COMPARED}`) : [],
    copyProblems: [
      ...ofCopy,
      ...(folder === undefined && extent === undefined ? [UNKNOWN_FOLDER] : []),
      // A cut file may have lost its role.
      ...(copies.length > 1 ? [`${copies.map(({ path }) => path).join(' and ')} ${ONE_ROLE}`] : []),
    ],
  }
}

const NOT_COMPARED = "it is the copy of the policy accepted last: the policy's file is not compared with it"
const UNKNOWN_FOLDER =
  '--publish must be set for a start with the policy accepted last where the file does not name the folder; it is now unset'
const ONE_ROLE = 'must not both exist for a start with the policy accepted last: one is of an issuer, one of a reader'

/** The copy, with the file's state: a change of the file is what a reload has to read. */
function insteadOf<Settings>(file: TrackedReading<Settings>, copy: TrackedReading<Settings>): TrackedReading<Settings> {
  const fingerprints = new Map(copy.fingerprints)
  fingerprints.delete(copy.path)
  fingerprints.set(file.path, file.fingerprints.get(file.path) ?? '')
  return { ...copy, fingerprints }
}

/** Those that exist, also where they cannot be read. */
function findCopies(folder: string, policyFile: string) {
  return (['issuer', 'reader'] as const)
    .map((role) => ({ role, path: policyCopyPath(folder, role, policyFile) }))
    .filter(({ path }) => readFingerprintSync(path) !== 'ENOENT')
}
