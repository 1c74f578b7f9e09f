// The requested address, as text: the host stands out, and is always in its ASCII form. No browser translates it.
import type { Destination } from '../../contract/destination.ts'
import { type Html, type HtmlValue, html } from './html.ts'

export function destinationBox(
  { scheme, host, rest, readableHost }: Readonly<Record<'scheme' | 'host' | 'rest' | 'readableHost', HtmlValue>>,
  isShortened = false,
): Html {
  return html`<p class="url" translate="no"><bdi dir="ltr">${scheme}<strong>${host}</strong>${rest}</bdi>${isShortened && '…'}${
    readableHost !== undefined &&
    html`
<br><bdi>${readableHost}</bdi>`
  }</p>`
}

/** Path, query and fragment; omitted if that is only a slash. */
export function shownRest({ rest }: Destination): string {
  return rest === '/' ? '' : rest
}
