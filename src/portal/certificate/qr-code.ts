// A QR code as inline SVG: black on white in every palette, because cameras need that. The page must also show its content
// as text.
import { encode } from 'uqr'
import { type Html, html } from '../../html/html.ts'

/** The white border that a code needs, in modules. */
const QUIET_ZONE = 4

export function qrCode(text: string): Html {
  const { size, data } = encode(text, { ecc: 'M', border: 0 })
  const side = size + 2 * QUIET_ZONE
  return html`<svg class="qr" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges" aria-hidden="true"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path stroke="#000" d="${data.map(row).join('')}"/></svg>`
}

/** One stroke per run of dark modules, relative to the end of the previous one. */
function row(modules: readonly boolean[], y: number): string {
  let end = 0
  const dark = modules.map((isDark) => (isDark ? '#' : ' ')).join('')
  const strokes = Array.from(dark.matchAll(/#+/g), ({ index, 0: run }) => {
    const stroke = `m${index - end} 0h${run.length}`
    end = index + run.length
    return stroke
  })
  return `M${QUIET_ZONE} ${y + QUIET_ZONE + 0.5}${strokes.join('')}`
}
