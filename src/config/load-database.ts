// The database's address, for a program that needs no other part of the portal's configuration.
import { type Database, database } from './database.ts'
import { type ReadFile, readFileStart } from './file.ts'
import { ConfigProblems } from './problems.ts'
import { type Environment, startReading } from './reading.ts'

const NAME = 'GATEWAY_CAPTIVE_DATABASE_URL'

/**
 * Reads the database's variable, or the file that its `_FILE` names, as the portal does.
 * @throws {ConfigProblems}
 */
export function loadDatabase(env: Environment, readFile: ReadFile = readFileStart): Database {
  const reading = startReading({ [NAME]: env[NAME], [`${NAME}_FILE`]: env[`${NAME}_FILE`] }, readFile)
  const part = database.read(reading)
  const problems = reading.problems()
  if (problems.length > 0) throw new ConfigProblems(problems)
  return part.database
}
