// What a doctor has found, as text or JSON, and its exit code.
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { createStyle } from '../terminal/style.ts'
import type { Finding } from './finding.ts'

const MAXIMUM_CHARACTERS = 400
/** Indentation below `tried: ` and `to do: `. */
const FOLD = 7

/** @throws {Failure} when something is wrong */
export function report(context: Context, findings: readonly Finding[], json?: true): void {
  const wrong = findings.filter(({ result }) => result === 'bad').length
  context.stdout.write(json ? `${printableJson({ ok: wrong === 0, findings }, 2)}\n` : described(context, findings))
  if (wrong > 0) throw new Failure(`${wrong} of ${findings.length} checks found something wrong`)
}

const COLOURS = { good: 'green', bad: 'red', skipped: 'yellow' } as const

function described(context: Context, findings: readonly Finding[]): string {
  const style = createStyle(context)
  const width = Math.max(...findings.map(({ check }) => check.length))
  const indent = ' '.repeat(9)
  return findings
    .map(({ check, result, tried, seen, advice }, at) => {
      const head = `${style(COLOURS[result], result.padEnd(7))}  ${check.padEnd(width)}  ${shortened(seen)}\n`
      if (advice === undefined) return head
      // A server that does not respond fails most checks with the same advice.
      const isSaid = findings.slice(0, at).some((other) => other.advice === advice && other.tried === tried)
      if (isSaid) return `${head}${indent}to do: as above\n`
      return `${head}${indent}${folded(`tried: ${shortened(tried)}`)}\n${indent}${folded(`to do: ${shortened(advice)}`)}\n`
    })
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
  const characters = [...printable(text)]
  return characters.length <= MAXIMUM_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MAXIMUM_CHARACTERS).join('')}…`
}
