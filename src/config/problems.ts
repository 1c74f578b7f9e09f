// How every program reports what is wrong with its settings: all of it at once, a line each.

/** All that is wrong with the configuration; the message lists it, a line each, without secrets. */
export class ConfigProblems extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
    super([`The configuration has ${count}:`, ...problems.map((problem) => `  ${problem}`)].join('\n'))
    this.name = 'ConfigProblems'
    this.problems = problems
  }
}
