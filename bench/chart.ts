// An SVG chart: one row per figure, with a dot at the median and a line for its 95 % interval. It has its own
// background and colours for light and dark, because pages of either kind embed it.
import type { Estimate } from './statistics.ts'

export interface Plot {
  readonly title: string
  readonly scale: 'linear' | 'logarithmic'
  /** The two ends of the scale, and every grid line between them. */
  readonly ticks: readonly number[]
  readonly labelOf: (value: number) => string
  readonly rows: readonly PlotRow[]
}

export interface PlotRow {
  readonly label: string
  readonly figure: Estimate
  /** The target, if there is one. */
  readonly aim?: number | undefined
  /** Whether it is highlighted. */
  readonly isOurs?: boolean
}

const WIDTH = 880
const LABEL_WIDTH = 330
const FIGURE_WIDTH = 90
const TITLE_HEIGHT = 46
const ROW_HEIGHT = 28
const AXIS_HEIGHT = 40

const STYLE = `
.ground { fill: #ffffff } .text { fill: #1f2328; font: 14px system-ui, sans-serif } .title { font-weight: 600 }
.faint { fill: #59636e; font-size: 12px } .grid { stroke: #d1d9e0 } .range { stroke: #4f5bd5; stroke-width: 3; stroke-linecap: round }
.dot { fill: #4f5bd5 } .aim { stroke: #b35900; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } .text { fill: #f0f6fc } .faint { fill: #9198a1 } .grid { stroke: #3d444d }
.range { stroke: #a5b0ff } .dot { fill: #a5b0ff } .aim { stroke: #ffb454 }
}`

/** @param description the accessible title */
export function renderChart(description: string, plots: readonly Plot[]): string {
  let top = 0
  const parts = plots.map((plot) => {
    const part = `<g transform="translate(0 ${top})">\n${renderPlot(plot)}</g>\n`
    top += TITLE_HEIGHT + plot.rows.length * ROW_HEIGHT + AXIS_HEIGHT
    return part
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" role="img">
<title>${escaped(description)}</title>
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${top}"/>
${parts.join('')}</svg>
`
}

/** @returns a value's position from the first tick (0) to the last (1); values beyond are clamped */
export function positionOf({ scale, ticks }: Pick<Plot, 'scale' | 'ticks'>, value: number): number {
  const on = (number: number) => (scale === 'linear' ? number : Math.log(number))
  const [first, last] = [on(ticks[0] as number), on(ticks.at(-1) as number)]
  return Math.min(1, Math.max(0, (on(value) - first) / (last - first)))
}

function renderPlot(plot: Plot): string {
  const { title, ticks, labelOf, rows } = plot
  const x = (value: number) => (LABEL_WIDTH + positionOf(plot, value) * (WIDTH - LABEL_WIDTH - FIGURE_WIDTH)).toFixed(1)
  const bottom = TITLE_HEIGHT + rows.length * ROW_HEIGHT
  const lines = ticks.map(
    (tick) => `<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${TITLE_HEIGHT - 6}" y2="${bottom}"/>
<text class="text faint" x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${escaped(labelOf(tick))}</text>
`,
  )
  const drawn = rows.map(({ label, figure, aim, isOurs }, index) => {
    const y = TITLE_HEIGHT + (index + 0.5) * ROW_HEIGHT
    const mark =
      aim === undefined ? '' : `<line class="aim" x1="${x(aim)}" x2="${x(aim)}" y1="${y - 9}" y2="${y + 9}"/>\n`
    return `<text class="text${isOurs ? ' title' : ''}" x="${LABEL_WIDTH - 14}" y="${y + 5}" text-anchor="end">${escaped(label)}</text>
${mark}<line class="range" x1="${x(figure.low)}" x2="${x(figure.high)}" y1="${y}" y2="${y}"/>
<circle class="dot" cx="${x(figure.median)}" cy="${y}" r="6"/>
<text class="text" x="${WIDTH - 14}" y="${y + 5}" text-anchor="end">${escaped(labelOf(figure.median))}</text>
`
  })
  return `<text class="text title" x="14" y="26">${escaped(title)}</text>\n${lines.join('')}${drawn.join('')}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
