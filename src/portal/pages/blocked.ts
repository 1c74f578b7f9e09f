// The block page: no way on.
import { type Html, html } from '../html/html.ts'
import { frame, operatorName, type Visit } from './frame.ts'
import { details, inLanguage, terminalAlert, type VerdictProps, whatHappened } from './verdict-parts.ts'

export function blockedPage(visit: Visit, props: VerdictProps): Html {
  const { t } = visit
  return frame(visit, {
    title: t.block.title,
    inLanguage: inLanguage('blocked', props.query),
    body: html`${whatHappened(visit, props, 'blocked', t.block)}
${terminalAlert(t.block.next(operatorName(visit)))}
${details(visit, props)}`,
  })
}
