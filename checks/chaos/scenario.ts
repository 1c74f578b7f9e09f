// What a scenario of the chaos suite is: a fault on purpose, figures, and what was wrong.

export interface Scenario {
  readonly name: string
  /** One line: what is done, and what must come out. */
  readonly about: string
  /** What it needs and this machine lacks; undefined when it can run. */
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
  /** For whatever has to end with the scenario; the last one first. */
  readonly after: (end: () => unknown) => void
}

/** Figures in the order of their lines, and what must not be: empty when all is well. */
export class Findings {
  readonly figures: [name: string, figure: string][] = []
  readonly faults: string[] = []
  /** Times that were too long: the portal's doing where they are so each time. */
  readonly late: string[] = []
  /** Whether the machine had so much else to do that a fault may be its own. */
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
