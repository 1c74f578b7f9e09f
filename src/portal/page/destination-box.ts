// The requested address, as text: the host stands out, and is always in its ASCII form. No browser translates it.
import type { Destination } from '../../contract/destination.ts'
import { type Html, type HtmlValue, html } from '../../html/html.ts'

/** Longer addresses and reasons scroll, so they need the focus. */
export const MOST_WITHOUT_SCROLLING = 200

/** A host never scrolls: its end says whose site it is. */
export function isLongAddress({ rest }: Destination): boolean {
  return rest.length > MOST_WITHOUT_SCROLLING
}

/** @param longLabel the name of a long address, which can have the focus */
export function destinationBox(
  { scheme, host, rest, readableHost }: Readonly<Record<'scheme' | 'host' | 'rest' | 'readableHost', HtmlValue>>,
  { isShortened = false, longLabel }: { readonly isShortened?: boolean; readonly longLabel: string | false },
): Html {
  const path = longLabel ? html`<span${scrollingRegion(longLabel)}>${rest}</span>` : rest
  return html`<p class="url" translate="no"><bdi dir="ltr">${scheme}<strong>${typeof host === 'string' ? withBreaks(host) : host}</strong>${path}</bdi>${isShortened && '…'}${
    readableHost !== undefined &&
    html`
<br><bdi>${readableHost}</bdi>`
  }</p>`
}

/** The attributes of an element with a long text, which scrolls and so has the focus. */
export function scrollingRegion(label: string): Html {
  return html` tabindex="0" role="region" aria-label="${label}"`
}

/** A long host breaks before a dot. */
function withBreaks(host: string): Html {
  return html`${host.split('.').map((label, index) => html`${index > 0 && html`<wbr>.`}${label}`)}`
}

/** Path, query and fragment; omitted if that is only a slash. */
export function shownRest({ rest }: Destination): string {
  return rest === '/' ? '' : rest
}
