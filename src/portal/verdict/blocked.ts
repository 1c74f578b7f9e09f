// The block page, which offers no way to proceed.

import { frame, operatorName, type Visit } from '../page/frame.ts'
import { type Html, html } from '../page/html.ts'
import { details, icons, inLanguage, terminalAlert, verdictSummary } from './parts.ts'
import type { VerdictView } from './view.ts'

export function blockedPage(visit: Visit, view: VerdictView): Html {
  const { t } = visit
  return frame(visit, {
    title: t.block.title,
    icon: icons.blocked,
    inLanguage: inLanguage('blocked', view),
    support: view.text.support,
    body: html`${verdictSummary(visit, view, 'blocked', t.block)}
${terminalAlert(visit, view, t.block.next(operatorName(visit)))}
${details(visit, view)}`,
  })
}
