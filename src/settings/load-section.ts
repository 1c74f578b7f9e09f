// One section of the configuration, for a program that needs no other part of it.
import { type ReadFile, readFileStart } from './file.ts'
import { ConfigProblems } from './problems.ts'
import { type Environment, startReading } from './reading.ts'
import type { Section } from './section.ts'

/**
 * Reads a section as the portal does.
 * @throws {ConfigProblems}
 */
export function loadSection<Part>(
  section: Section<Part>,
  env: Environment,
  readFile: ReadFile = readFileStart,
): { readonly part: Part; readonly warnings: readonly string[] } {
  const reading = startReading(env, readFile)
  const part = section.read(reading)
  const problems = reading.problems()
  if (problems.length > 0) throw new ConfigProblems(problems)
  return { part, warnings: reading.warnings() }
}
