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

export interface ProblemList {
  /**
   * Records that a setting breaks a rule; of several, the first.
   * @param thing where it is set: a variable, an option, or a key of a file
   * @param rule "must …"
   * @param now what breaks it: "it is now …", without secrets
   */
  add(thing: string, rule: string, now: string): void
  lines(): readonly string[]
}

export function problemList(): ProblemList {
  const lines = new Map<string, string>()
  return {
    add(thing, rule, now) {
      if (!lines.has(thing)) lines.set(thing, `${thing} ${rule}; ${now}`)
    },
    lines: () => [...lines.values()],
  }
}

/** The rule that a shape reports, or else its description, worded to follow the name of the setting. */
export function ruleOf(text: string): string {
  return text.startsWith('must ') ? text : `must be ${text}`
}
