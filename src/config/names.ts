// All names of variables, and warnings for unknown names with the portal's prefix.
import type { Environment } from './reading.ts'
import type { Section } from './section.ts'
import { escaped } from './shown.ts'

const PREFIX = 'GATEWAY_CAPTIVE_'

/** The names of all variables, their short names and the names of their files. */
export function variableNames(sections: readonly Section<unknown>[]): readonly string[] {
  return sections.flatMap(({ variables }) =>
    Object.entries(variables).flatMap(([name, { secret, shortName }]) => [
      name,
      ...(secret ? [`${name}_FILE`] : []),
      ...(shortName === undefined ? [] : [shortName]),
    ]),
  )
}

/** One warning for each unknown name in the environment that begins with `GATEWAY_CAPTIVE_`. */
export function unknownNames(env: Environment, known: readonly string[]): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && env[name] !== undefined && !known.includes(name))
    .map((name) => `${escaped(name)} is not a known variable; the nearest known name is ${nearest(name, known)}`)
}

function nearest(name: string, known: readonly string[]): string {
  const distances = known.map((candidate) => editDistance(name, candidate))
  return `${known[distances.indexOf(Math.min(...distances))]}`
}

/** Levenshtein distance: how many characters to insert, delete or replace. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1))
    }
    previous = current
  }
  return at(previous, to.length)
}

const at = (numbers: readonly number[], index: number) => numbers[index] ?? Number.POSITIVE_INFINITY
