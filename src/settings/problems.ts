// How every program reports problems with its settings: all at once, one per line.

/** All problems of the configuration; the message lists them, one per line, without secrets. */
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
   * Records that a setting breaks a rule. Only the first problem of a setting is kept.
   * @param thing where it is set: a variable, an option, or a key of a file
   * @param rule "must …"
   * @param now the current value: "it is now …", without secrets
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

/** A shape's rule or description, worded to follow the name of the setting. */
export function ruleOf(text: string): string {
  return text.startsWith('must ') ? text : `must be ${text}`
}
