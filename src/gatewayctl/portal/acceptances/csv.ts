// CSV as RFC 4180 has it, with cells that no spreadsheet takes for a formula, whichever separator it assumes.

/**
 * What begins a formula in one spreadsheet or another, at the start of a cell: also full-width, behind white space,
 * controls or quotation marks, and behind what separates cells elsewhere (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA_START = /(?<=^|[,;|\t\r\n])(?=[\s\p{C}"]{0,200}[=+\-@＝＋－＠﹦﹢﹣﹫−])/gu
const LEADING_CONTROL = /^(?=\p{Cc})/u

/** One line with its line break. Null is an empty cell. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  // An apostrophe makes text of whatever follows it.
  const text = String(value).replace(FORMULA_START, "'").replace(LEADING_CONTROL, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
