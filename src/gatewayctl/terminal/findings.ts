// The findings of a status verb, one line each.
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { type Colour, createStyle } from './style.ts'

export interface Finding<Name extends string = string> {
  readonly name: Name
  /** A warning leaves the exit code at 0; off is intended; unknown could not be determined. */
  readonly state: 'ok' | 'warning' | 'wrong' | 'off' | 'unknown'
  readonly says: string
  /** What a program that failed logged last. */
  readonly log_lines?: readonly string[]
}

const COLOURS: Readonly<Record<Finding['state'], Colour | undefined>> = {
  ok: 'green',
  warning: 'yellow',
  wrong: 'red',
  off: undefined,
  unknown: 'yellow',
}

export function findingLines(context: Context, findings: readonly Finding[]): string {
  const style = createStyle(context)
  const lines = ({ name, state, says, log_lines = [] }: Finding) => [
    `${name.padEnd(12)} ${style(COLOURS[state], state.padEnd(8))} ${says.split('\n').map(printable).join(' ')}`,
    ...log_lines.map((line) => `    ${printable(line)}`),
  ]
  return `${findings.flatMap(lines).join('\n')}\n`
}
