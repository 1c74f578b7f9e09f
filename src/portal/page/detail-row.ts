// A row of a list of details: its label, and its value next to it or below.
import { type Html, type HtmlValue, html } from '../../html/html.ts'

/** @param isStacked whether the value always stands below its label */
export function detailRow(label: HtmlValue, value: HtmlValue, isStacked = false): Html {
  return html`<div${isStacked && html` class="stacked"`}><dt>${label}</dt><dd>${value}</dd></div>`
}
