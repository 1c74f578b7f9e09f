// A scenario of the chaos suite: it injects a fault, and reports figures and broken promises.

export interface Scenario {
  readonly name: string
  /** One line: the fault, and the expected result. */
  readonly about: string
  /** The requirement that this machine lacks; undefined when the scenario can run. */
  readonly lacks?: string | undefined
  /** Beyond Node and the npm packages; for the list of checks. */
  readonly needs?: string
  /** How long it takes. */
  readonly seconds?: { readonly whole: number; readonly short: number }
  run(options: ScenarioOptions): Promise<Findings>
}

export interface ScenarioOptions {
  /** A few seconds in place of half a minute. */
  readonly isShort: boolean
  /** For files, removed afterwards. */
  readonly folder: string
  /** Cleanup at the end of the scenario, in reverse order. */
  readonly after: (end: () => unknown) => void
}

/** Figures in the order of their lines, and faults: empty when the scenario passed. */
export class Findings {
  readonly figures: [name: string, figure: string][] = []
  readonly faults: string[] = []
  /** Times that were too long: a fault of the portal only when every attempt has them. */
  readonly late: string[] = []
  /** Whether other work on the machine may have caused a fault. */
  isMachineBusy = false

  figure(name: string, figure: string | number): void {
    this.figures.push([name, String(figure)])
  }

  expect(isSo: boolean, fault: string): void {
    if (!isSo) this.faults.push(fault)
  }

  expectInTime(isSo: boolean, fault: string): void {
    if (!isSo) this.late.push(fault)
  }
}
