// Colour on a terminal, unless NO_COLOR is set (https://no-color.org).
import { styleText } from 'node:util'
import type { Context } from '../context.ts'

export type Colour = 'green' | 'yellow' | 'red' | 'bold'

/** Styles text for standard output; does nothing in a pipe, on a dumb terminal, or with NO_COLOR. */
export function createStyle({ env, stdout }: Context): (colour: Colour | undefined, text: string) => string {
  const colourful = stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb'
  return (colour, text) =>
    colourful && colour !== undefined ? styleText(colour, text, { validateStream: false }) : text
}
