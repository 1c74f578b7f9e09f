// Asks the operator a yes-or-no question; the default is no.
import { createInterface } from 'node:readline'
import type { Context } from '../context.ts'

export const canConfirm = ({ stdin, stderr }: Context): boolean => stdin.isTTY && stderr.isTTY

export async function confirm({ stdin, stderr }: Context, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `)
  // The terminal stays in its normal mode: it edits the line itself, and Ctrl-C interrupts.
  const lines = createInterface({ input: stdin, terminal: false })
  try {
    for await (const line of lines) return /^\s*y(es)?\s*$/i.test(line)
    return false
  } finally {
    lines.close()
  }
}
