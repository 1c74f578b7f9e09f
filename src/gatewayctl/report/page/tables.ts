// Tables of the report. One with bars is chart and data at once: the bar is only a drawing of the number next to it.
import { type Html, type HtmlValue, html } from '../../../html/html.ts'
import type { Formats } from './formats.ts'
import type { Texts } from './i18n/en.ts'

export interface Row {
  readonly name: HtmlValue
  /** Below the name. */
  readonly detail?: HtmlValue
  readonly values: readonly HtmlValue[]
  /** Of the bar below the name: from 0 to 1; none if it is missing. */
  readonly part?: number
}

/** A table whose first column names something, and whose other columns are numbers. @param caption for those who cannot see the heading */
export function table(caption: string, columns: readonly string[], rows: readonly Row[]): Html {
  const [first = '', ...others] = columns
  const heads = others.map((column) => html`<th class="n" scope="col">${column}</th>`)
  const body = rows.map(
    ({ name, detail, values, part }) =>
      html`<tr><th scope="row">${name}${detail !== undefined && html`<small>${detail}</small>`}${part !== undefined && bar(part)}</th>${values.map((value) => html`<td class="n">${value}</td>`)}</tr>`,
  )
  return html`<table><caption>${caption}</caption><thead><tr><th scope="col">${first}</th>${heads}</tr></thead><tbody>${body}</tbody></table>`
}

/** The most first; what the table leaves out is its last row. */
export function rankedRows(
  { t, formats }: { readonly t: Texts; readonly formats: Formats },
  entries: readonly { readonly name: HtmlValue; readonly detail?: HtmlValue; readonly requests: number }[],
  whole: number,
  others: { readonly entries: number; readonly requests: number } = { entries: 0, requests: 0 },
): readonly Row[] {
  const most = Math.max(1, ...entries.map(({ requests }) => requests))
  const values = (requests: number) => [formats.number(requests), formats.share(requests, whole)]
  const rows = entries.map(({ name, detail, requests }) => {
    return { name, detail, values: values(requests), part: requests / most }
  })
  if (others.entries === 0) return rows
  return [...rows, { name: t.others(formats.number(others.entries)), values: values(others.requests) }]
}

/** Of what came from outside. */
export function nameOf(name: string | null, t: Texts): Html {
  return name === null ? html`<i>${t.noName}</i>` : html`<bdi translate="no">${name}</bdi>`
}

function bar(part: number): Html {
  return html`<svg aria-hidden="true" width="100%" height="8"><rect width="${Math.round(part * 1000) / 10}%" height="8" rx="2"/></svg>`
}
