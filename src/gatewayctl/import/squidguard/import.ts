// A configuration of squidGuard as a policy.
import { resolve } from 'node:path'
import { Failure } from '../../failure.ts'
import { printable } from '../../terminal/printable.ts'
import { readDestinations } from './destinations.ts'
import { createNotes } from './notes.ts'
import { parseConfiguration } from './parse.ts'
import { noteMissingRedirects } from './redirects.ts'
import { rulesOf } from './rules.ts'
import { isTerminal, scopesOf } from './scopes.ts'
import { readSources } from './sources.ts'
import { createSchedules } from './times/schedules.ts'
import { policyText } from './toml.ts'

export interface ImportOptions {
  /** The configuration's, for messages. */
  readonly file: string
  /** Where the lists are; undefined for the folder that the configuration names. */
  readonly dbhome: string | undefined
  /** The current one. */
  readonly year: number
  /** An existing folder to which lists are written as the engine reads them; undefined where they stay where they are. */
  readonly output: string | undefined
}

export interface Imported {
  readonly policy: string
  /** What it leaves out or changes, a line each. */
  readonly notes: readonly string[]
  readonly counts: { readonly rules: number; readonly lists: number; readonly groups: number }
}

/** @throws {Failure} for anything but a configuration of squidGuard or ufdbGuard, and where its files cannot be read */
export function importConfiguration(text: string, { file, dbhome: given, year, output }: ImportOptions): Imported {
  const noted = createNotes()
  const configuration = parseConfiguration(text, file, year, noted)
  const { ufdbguard, safesearch } = configuration
  const dbhome = resolve(given ?? configuration.dbhome)
  const { sources, groups } = readSources(configuration, dbhome, noted)
  const lists = readDestinations(configuration, { dbhome, output }, noted)
  const missing = noted.missing()
  if (missing.length > 0) {
    const advice = `${file} names files that cannot be read. --dbhome names their folder, now ${dbhome}`
    throw new Failure([advice, ...missing].join('\n'))
  }
  const schedules = createSchedules(configuration)
  const scopes = scopesOf(configuration, sources, schedules, noted)
  const rules = rulesOf(configuration, scopes, lists, schedules, noted)
  if (ufdbguard === undefined) noteMissingRedirects(configuration, noted)
  const dialect =
    ufdbguard === undefined ? 'squidGuard' : `ufdbGuard, because of ${ufdbguard.name} in line ${ufdbguard.line}`
  const notes = noted.texts()
  const end = scopes.at(-1)?.pass.find(isTerminal)
  const policy = policyText({
    comments: [
      `From ${file}, a configuration of ${dialect}.`,
      ...(notes.length === 0 ? [] : ['Not imported, or changed:', ...notes.map((note) => `  ${note}`)]),
    ].map(printable),
    default: end?.name === 'none' ? 'block' : 'allow',
    ...{ safesearch, groups, schedules: schedules.named(), lists: [...lists.values()], rules },
  })
  return { policy, notes, counts: { rules: rules.length, lists: lists.size, groups: groups.length } }
}
