// The signs: one shape for each kind of page, so that colour is never the only difference. The browser's tab has the same shape.
import { type Html, html } from '../../html/html.ts'

export interface Sign {
  /** An SVG path in 48 units. The glyph is a hole in the shape: it runs the other way round. */
  readonly path: string
  /** Of edge and sign; otherwise the primary colour. */
  readonly tone?: 'stop' | 'caution'
}

const CIRCLE = 'M24 3a21 21 0 11-1 0z'

export const SIGNS = {
  block: { path: 'M15 3h18l12 12v18L33 45H15L3 33V15zm-1 18.5v5h20v-5z', tone: 'stop' },
  warn: {
    path: 'M28 5l18 33a4 4 0 01-4 6H6a4 4 0 01-4-6L20 5a4.5 4.5 0 018 0zm-6.5 10v13h5V15zm0 17v5h5v-5z',
    tone: 'caution',
  },
  policy: { path: 'M8 3h22l11 11v31H8zm8 17v5h16v-5zm0 10v5h10v-5z' },
  code: {
    path: 'M13 20v-6a11 11 0 0122 0v6h2a4 4 0 014 4v17a4 4 0 01-4 4H11a4 4 0 01-4-4V24a4 4 0 014-4zm6 0h10v-6a5 5 0 00-10 0zm2.5 8v9h5v-9z',
  },
  clock: { path: `${CIRCLE}m-2.5 9v15h12v-5h-7V12z` },
  information: { path: `${CIRCLE}m-2.5 18v15h5V21zm0-9v5h5v-5z` },
  certificate: {
    path: 'M7 6h34a4 4 0 014 4v28a4 4 0 01-4 4H7a4 4 0 01-4-4V10a4 4 0 014-4zm5 8v5h24v-5zm0 11v5h12v-5zm19 0v8h5v-8z',
  },
} as const satisfies Readonly<Record<string, Sign>>

export function signImage({ path }: Sign): Html {
  return html`<svg class="sign" viewBox="0 0 48 48" aria-hidden="true"><path d="${path}"/></svg>`
}

/** The colours of the tab's icon, which knows no palette. */
const ICON_COLOURS = { stop: 'b32', caution: 'a50', primary: '45c' } as const

/** A data URL, so that no page makes a second request. */
export function signIcon({ path, tone }: Sign): Html {
  return html`data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 48 48'%3E%3Cpath fill='%23${ICON_COLOURS[tone ?? 'primary']}' d='${path}'/%3E%3C/svg%3E`
}
