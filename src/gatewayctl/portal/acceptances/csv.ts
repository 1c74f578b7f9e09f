// CSV (RFC 4180) whose cells no spreadsheet reads as formulas, whichever separator it assumes.

/**
 * The positions where a spreadsheet may see the start of a formula: also of a full-width sign, after white space, controls
 * or quotation marks, and after other separators (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA_START = /(?<=^|[,;|\t\r\n])(?=[\s\p{C}"]{0,200}[=+\-@＝＋－＠﹦﹢﹣﹫−])/gu
const LEADING_CONTROL = /^(?=\p{Cc})/u

/** One line with its line break. Null becomes an empty cell. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  // Spreadsheets read a cell that starts with an apostrophe as text.
  const text = String(value).replace(FORMULA_START, "'").replace(LEADING_CONTROL, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
