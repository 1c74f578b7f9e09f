// Runs the checks of a doctor, all at once.
import { type Finding, failing } from './finding.ts'

/** A check may have several findings, or none. */
export type Found = Finding | readonly Finding[] | undefined

/** About a check that throws: what was tried, and what to do. */
interface OnError {
  readonly tried: string
  readonly advice: string
}

/** The findings, in the order of the checks. */
export async function runChecks(
  checks: readonly (readonly [name: string, run: () => Found | Promise<Found>])[],
  { tried, advice }: OnError,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    checks.map(async ([name, run]) => {
      try {
        return (await run()) ?? []
      } catch (error) {
        return failing(name, tried, (error as Error).message, advice)
      }
    }),
  )
  return findings.flat()
}
