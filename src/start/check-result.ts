// What `--check` of portal, engine and proxy has found, and its exit status.
import { ConfigProblems } from '../settings/problems.ts'

export interface CheckResult {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

export function joinResults(results: readonly CheckResult[]): CheckResult {
  return {
    problems: results.flatMap(({ problems }) => problems),
    warnings: results.flatMap(({ warnings }) => warnings),
  }
}

/**
 * Prints the warnings, and the problems or that there are none.
 * @returns the exit status
 */
export function printCheck({ problems, warnings }: CheckResult, noProblems: string): 0 | 2 {
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`)
  if (problems.length === 0) process.stdout.write(`${noProblems}\n`)
  else process.stderr.write(`${new ConfigProblems(problems).message}\n`)
  return problems.length === 0 ? 0 : 2
}
