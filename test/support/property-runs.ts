// How often a property is tried with random values: `npm run check -- properties` does it five times as often as `npm test`.

/** Whether this is the check. */
const isWhole = process.env.ALL_RUNS === '1'

/** @param whole how often the check tries it @returns the option of fast-check */
export function propertyRuns(whole: number): { readonly numRuns: number } {
  return { numRuns: isWhole ? whole : Math.ceil(whole / 5) }
}
