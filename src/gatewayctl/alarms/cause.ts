// A cause of alarms, as a check of one part of the gateway finds it.
import { printable } from '../terminal/printable.ts'

export interface Cause {
  /** Stable: `engine`, `disk:/var/log`. What stands before the colon is its area. */
  readonly id: string
  /** One sentence. It may quote text from outside, which `harmless` has bounded. */
  readonly summary: string
  /** The command that helps, or shows more. */
  readonly remedy: string
}

export interface Checked {
  readonly causes: readonly Cause[]
  /** Areas about which it could not find out: what is known about them stays. */
  readonly unknown?: readonly string[]
}

const MAXIMUM_CHARACTERS = 300

/** Text from outside on one line of a mail, a terminal or a log. */
export function harmless(text: unknown, most = MAXIMUM_CHARACTERS): string {
  // Each may become an escape of ten characters.
  const characters = [
    ...printable(
      String(text)
        .slice(0, 4 * most)
        .replace(/\s+/g, ' ')
        .trim(),
    ),
  ]
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most).join('')}…`
}

export const areaOf = (id: string): string => id.split(':', 1)[0] ?? id

/** The first of several with the same id counts. */
export function distinct(causes: readonly Cause[]): readonly Cause[] {
  return causes.filter(({ id }, at) => causes.findIndex((other) => other.id === id) === at)
}
