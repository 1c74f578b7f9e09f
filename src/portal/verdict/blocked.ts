// The block page, which offers no way to proceed.

import { type Html, html } from '../../html/html.ts'
import { frame, operatorName, type Visit } from '../page/frame.ts'
import { SIGNS } from '../page/sign.ts'
import { details, inLanguage, leavesMenuToScript, verdictSummary, wayOut } from './parts.ts'
import type { VerdictView } from './view.ts'

export function blockedPage(visit: Visit, view: VerdictView): Html {
  const { t, site } = visit
  return frame(visit, {
    title: t.block.title,
    sign: SIGNS.block,
    inLanguage: inLanguage('blocked', view),
    support: view.text.support,
    leavesMenuToScript: leavesMenuToScript(visit, false),
    style: site.withoutPinStyle,
    script: site.scripts.back,
    body: html`${verdictSummary(visit, view, SIGNS.block, t.block)}
${wayOut(visit, view, t.block.next(operatorName(visit)))}
${details(visit, view)}`,
  })
}
