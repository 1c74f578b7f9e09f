// One page for each way in which a request can end other than with a verdict page or a redirect.
import type { Destination } from '../../contract/destination.ts'
import { type Html, html } from '../html/html.ts'
import { formatDuration } from '../i18n/format.ts'
import { frame, operatorName, type Visit } from './frame.ts'

export type OutcomeName = Exclude<keyof Visit['t']['outcome'], 'wayBack' | 'ask' | 'contentBlocked'>

export interface OutcomeProps {
  readonly name: OutcomeName
  /** Where the gateway will issue a new verdict. */
  readonly destination?: Destination | undefined
  /** The verdict's id, for the help desk. */
  readonly reference?: string | undefined
  /** Seconds until another attempt makes sense; with `lockedOut` only. */
  readonly retryAfter?: number | undefined
}

export function outcomePage(visit: Visit, { name, destination, reference, retryAfter }: OutcomeProps): Html {
  const { t, locale } = visit
  const { title, text, advice } = t.outcome[name]
  return frame(visit, {
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
<p>${typeof advice === 'string' ? advice : advice(formatDuration(retryAfter ?? 0, locale))} ${t.outcome.ask(operatorName(visit))}</p>
${
  destination !== undefined &&
  html`<p class="site"><bdi dir="ltr">${destination.scheme}<strong>${destination.host}</strong>${destination.rest}</bdi></p>
<p><a class="primary" rel="noreferrer" href="${destination.href}">${t.outcome.wayBack}</a></p>`
}
${reference !== undefined && html`<dl><dt>${t.details.reference}</dt><dd><bdi dir="ltr">${reference}</bdi></dd></dl>`}`,
  })
}
