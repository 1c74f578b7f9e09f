// What is wrong with one place of the file, in one grammar: the key, the rule it breaks. Never the value.
import type { z } from 'zod'

/** One line for each problem that an issue stands for. */
export function describeIssue(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${spellKey(issue.path)} ${issue.message}`]
  return issue.keys.map((name) => `${spellKey([...issue.path, name])} is not a key that is known here`)
}

/** The messages of the issues that no shape words by itself. */
export function wordIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'is missing'
  return `must be ${EXPECTED[issue.expected] ?? issue.expected}`
}

const EXPECTED: Readonly<Record<string, string>> = { string: 'a text', object: 'a table', array: 'a list' }

function spellKey(path: readonly PropertyKey[]): string {
  return path
    .map((part, depth) => (typeof part === 'number' ? `[${part + 1}]` : `${depth > 0 ? '.' : ''}${String(part)}`))
    .join('')
}
