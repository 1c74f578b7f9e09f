// What rules and default decide, as text.
import type { Expectations } from '../../contract/administration.ts'
import { printable } from '../terminal/printable.ts'

export type RuledText = Expectations['expectations'][number]['ruled']

export const VERDICT_TEXTS = {
  allow: 'allowed',
  block: 'blocked',
  warn: 'stopped with a warning',
  aup: 'stopped until a policy is accepted',
  refuse: 'refused with HTTP 400',
} as const

/** `blocked by the rule games (line 12)` */
export function ruledText({ verdict, rule }: RuledText): string {
  return `${VERDICT_TEXTS[verdict]} ${rule === null ? 'as one of the portal’s own names' : byText(rule)}`
}

function byText({ name, line }: NonNullable<RuledText['rule']>): string {
  if (name === 'default') return 'by the default'
  return `by the rule ${printable(name)}${line === null ? '' : ` (line ${line})`}`
}
