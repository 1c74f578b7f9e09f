// A file of dates on which a schedule does not apply, such as school holidays.

const DAY_MS = 24 * 60 * 60_000
/** A longer period is a typing error. */
const MAXIMUM_DAYS = 400

/**
 * Reads one date (`2026-12-25`) or period (`2026-12-24/2027-01-03`, both days included) per line; `#` begins a comment.
 * @returns days since 1970-01-01, or the lines that are wrong
 */
export function parseDates(text: string): { readonly dates: ReadonlySet<number>; readonly faults: readonly string[] } {
  const dates = new Set<number>()
  const faults: string[] = []
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    const entry = line.replace(/#.*$/, '').trim()
    if (entry === '') return
    const [first, last = first, ...more] = entry.split('/').map((part) => parseDate(part.trim()))
    if (first === undefined || last === undefined || more.length > 0 || last < first || last - first > MAXIMUM_DAYS) {
      faults.push(`line ${index + 1}`)
    } else for (let day = first; day <= last; day++) dates.add(day)
  })
  return { dates, faults }
}

/** Reads `2026-12-25`; undefined for anything else. @returns days since 1970-01-01 */
export function parseDate(text: string): number | undefined {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return undefined
  const date = new Date(`${text}T00:00:00Z`)
  // The parser accepts February 30.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date.getTime() / DAY_MS : undefined
}

/** `2026-12-25`. @param day since 1970-01-01 */
export function dateText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
