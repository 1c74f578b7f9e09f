import type { Rule } from '../policy.ts'

/** `line 12, the rule "games"`; without the line where that is not known. */
export function ruleLabel({ name, line }: Pick<Rule, 'name' | 'line'>, separator: ', ' | ': ' = ', '): string {
  return `${line === undefined ? '' : `line ${line}${separator}`}the rule "${name}"`
}
