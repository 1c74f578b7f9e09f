// The findings of a status or a doctor, as text or JSON, and their exit code.
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { type Colour, createStyle } from '../terminal/style.ts'
import type { Finding } from './finding.ts'

const MAXIMUM_CHARACTERS = 400
const LEAST_WIDTH = 12
/** Indentation below `tried: ` and `to do: `. */
const FOLD = 7

const COLOURS: Readonly<Record<Finding['state'], Colour | undefined>> = {
  ok: 'green',
  warning: 'yellow',
  failing: 'red',
  off: undefined,
  skipped: 'yellow',
}

/**
 * @param more further members of the JSON document
 * @throws {Failure} when something is failing
 */
export function report(
  context: Context,
  findings: readonly Finding[],
  { json }: { readonly json?: true },
  more: object = {},
): void {
  const failing = findings.filter(({ state }) => state === 'failing').length
  context.stdout.write(
    json ? `${printableJson({ ok: failing === 0, findings, ...more }, 2)}\n` : described(context, findings),
  )
  if (failing > 0) throw new Failure(`${failing} of ${findings.length} checks failed`)
}

function described(context: Context, findings: readonly Finding[]): string {
  const style = createStyle(context)
  const width = Math.max(LEAST_WIDTH, ...findings.map(({ check }) => check.length))
  const indent = ' '.repeat(4)
  return findings
    .flatMap(({ check, state, detail, tried = '', advice, log_lines = [] }, at) => {
      // A server that does not respond fails most checks with the same advice.
      const isRepeated = findings.slice(0, at).some((other) => other.advice === advice && other.tried === tried)
      const remarks =
        advice === undefined
          ? []
          : isRepeated
            ? ['to do: as above']
            : [...(tried === '' ? [] : [`tried: ${tried}`]), `to do: ${advice}`].map((text) => folded(shortened(text)))
      return [
        `${check.padEnd(width)} ${style(COLOURS[state], state.padEnd(8))} ${shortened(detail)}`,
        ...[...remarks, ...log_lines.map(printable)].map((line) => indent + line),
      ]
    })
    .map((line) => `${line}\n`)
    .join('')

  /** Wraps at the width of the terminal, or 80, between words: addresses can be copied. */
  function folded(text: string): string {
    const room = (context.stdout.columns || 80) - indent.length
    let column = 0
    const words = text.split(' ').map((word, at) => {
      const isNext = at > 0 && column + 1 + word.length > room
      column = isNext ? FOLD + word.length : column + (at > 0 ? 1 : 0) + word.length
      return isNext ? `\n${indent}${' '.repeat(FOLD)}${word}` : `${at > 0 ? ' ' : ''}${word}`
    })
    return words.join('')
  }
}

function shortened(text: string): string {
  const characters = [...text.split('\n').map(printable).join(' ')]
  return characters.length <= MAXIMUM_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MAXIMUM_CHARACTERS).join('')}…`
}
