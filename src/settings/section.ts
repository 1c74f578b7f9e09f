// A section of the configuration: declares variables, and builds a part of the configuration from their values.
// docs/configuration.md is generated from the same declarations. To add a variable, add one entry to its section's
// file.
import type * as z from 'zod'
import { ruleOf } from './problems.ts'
import type { Reading } from './reading.ts'
import type { Variable } from './variable.ts'

type Value<V extends Variable> = V extends { readonly default: string } | { readonly required: true }
  ? z.output<V['shape']>
  : z.output<V['shape']> | undefined

type Values<Variables extends Record<string, Variable>> = { readonly [Name in keyof Variables]: Value<Variables[Name]> }

export interface Section<Part> {
  readonly title: string
  readonly variables: Readonly<Record<string, Variable>>
  /** The section's part of the configuration; do not use it if the reading has problems. */
  read(reading: Reading): Part
}

/**
 * Declares a section. `build` gets all values, and checks rules that involve several of them. A variable that breaks its
 * own rule has its default there, so that one problem does not hide another. Without its required variables, the section
 * is not built.
 */
export function section<const Variables extends Record<string, Variable>, Part>(
  title: string,
  variables: Variables,
  build: (values: Values<Variables>, reading: Reading) => Part,
): Section<Part> {
  return {
    title,
    variables,
    read(reading) {
      const values = Object.fromEntries(
        Object.entries(variables).map(([name, variable]) => [name, readValue(name, variable, reading)]),
      )
      const complete = Object.entries(variables).every(
        ([name, { required }]) => !required || values[name] !== undefined,
      )
      return complete ? build(values as Values<Variables>, reading) : (undefined as never)
    },
  }
}

function readValue(name: string, variable: Variable, reading: Reading): unknown {
  const text = reading.text(name, variable)
  if (text !== undefined) {
    const result = variable.shape.safeParse(text)
    if (result.success) return result.data
    const rule = result.error.issues.find((issue) => issue.message.startsWith('must '))?.message
    reading.problem(name, rule ?? ruleOf(`${variable.shape.description}`))
  } else if (variable.required) {
    reading.problem(name, variable.secret ? `must be set, itself or as ${name}_FILE` : 'must be set')
  }
  return variable.default === undefined ? undefined : variable.shape.parse(variable.default)
}
