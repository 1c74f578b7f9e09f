// What a scenario reports: figures, broken promises, and times that were too long.

/** What a request gets for which there was no time: refused, given up by the portal or by its client, or not sent. */
const LATE_RESULTS: readonly string[] = ['503', '504', 'unanswered', 'no connection']

/** Figures in the order of their lines, and faults: empty when the scenario passed. */
export class Findings {
  readonly figures: [name: string, figure: string][] = []
  readonly faults: string[] = []
  /** What a busy machine alone may have caused, such as times that were too long: a fault only when every attempt has it. */
  readonly late: string[] = []

  figure(name: string, figure: string | number): void {
    this.figures.push([name, String(figure)])
  }

  expect(isSo: boolean, fault: string): void {
    if (!isSo) this.faults.push(fault)
  }

  expectInTime(isSo: boolean, fault: string): void {
    if (!isSo) this.late.push(fault)
  }

  /** Expects none but these results of a load. A wrong one is a fault, however busy the machine is. */
  expectOnly(expected: readonly string[], responses: ReadonlyMap<string, number>, what: string): void {
    const others = [...responses.keys()].filter((result) => !expected.includes(result))
    if (others.length === 0) return
    const found = `${what}: ${expected.join(' or ')} expected, not ${others.join()}`
    if (others.every((result) => LATE_RESULTS.includes(result))) this.late.push(found)
    else this.faults.push(found)
  }
}
