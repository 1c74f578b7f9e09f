// The database's address, for a program that needs no other part of the portal's configuration.

import type { ReadFile } from '../file.ts'
import { loadSection } from '../load-section.ts'
import type { Environment } from '../reading.ts'
import { type DatabaseLocation, database } from './database.ts'

/**
 * Reads the database's variables, or the files that their `_FILE` variables name, as the portal does.
 * @throws {ConfigProblems}
 */
export function loadDatabase(env: Environment, readFile?: ReadFile): DatabaseLocation {
  return loadSection(database, env, readFile).part.database
}
