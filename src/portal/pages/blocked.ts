// The block page: no way on.
import { type Html, html } from '../html/html.ts'
import { frame, operatorName, type Visit } from './frame.ts'
import { details, inLanguage, terminalAlert, whatHappened } from './verdict-parts.ts'
import type { VerdictView } from './verdict-view.ts'

export function blockedPage(visit: Visit, view: VerdictView): Html {
  const { t } = visit
  return frame(visit, {
    title: t.block.title,
    inLanguage: inLanguage('blocked', view),
    body: html`${whatHappened(visit, view, 'blocked', t.block)}
${terminalAlert(t.block.next(operatorName(visit)))}
${details(visit, view)}`,
  })
}
