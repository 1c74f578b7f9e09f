// A row of a list of details: its label, and its value next to it or below.
import { type Html, type HtmlValue, html } from './html.ts'

export function detailRow(label: HtmlValue, value: HtmlValue): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`
}
