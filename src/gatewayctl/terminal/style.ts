// Colour, where somebody looks at it and has not asked for none (https://no-color.org).
import { styleText } from 'node:util'
import type { Context } from '../context.ts'

export type Colour = 'green' | 'yellow' | 'red' | 'bold'

/** Paints text for standard output; leaves it as it is in a pipe, on a dumb terminal, and with NO_COLOR. */
export function createStyle({ env, stdout }: Context): (colour: Colour | undefined, text: string) => string {
  const colourful = stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb'
  return (colour, text) =>
    colourful && colour !== undefined ? styleText(colour, text, { validateStream: false }) : text
}
