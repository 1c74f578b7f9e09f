// Pages that differ in a few values only: rendered once with marks in their place, then filled, already encoded.
// A page function neither knows nor cares: it is called once with marks instead of the visitor's values.
import { escapeHtml, type Html } from './html.ts'

/** Gives the markup, as UTF-8, for these values, in the order of the slots; each is escaped as by `html`. */
export type Fill = (values: readonly string[]) => Buffer

// Noncharacters: no text of ours holds them, and escaping leaves them alone.
const OPEN = '\ufdd0'
const CLOSE = '\ufdd1'
const MARK = new RegExp(`${OPEN}(\\d+)${CLOSE}`)
const NOT_ASCII = /[^\0-\x7f]/
/** Neither special in markup nor beyond ASCII: most values, told by one look. */
const PLAIN = /^[\w\-./:?=% ]*$/

/**
 * @param slots how many values there are
 * @param render called once; where it writes a mark, that slot's value will stand, as text or in an attribute
 */
export function compileTemplate(slots: number, render: (marks: readonly string[]) => Html): Fill {
  const marks = Array.from({ length: slots }, (_, slot) => `${OPEN}${slot}${CLOSE}`)
  // Constant, slot, constant, slot, …, constant.
  const parts = render(marks).toString().split(MARK)
  const [first, ...rest] = parts.filter((_, index) => index % 2 === 0).map(toByteString) as [string, ...string[]]
  const order = parts.filter((_, index) => index % 2 === 1).map(Number)

  return (values) => {
    const escaped = values.map((value) => (PLAIN.test(value) ? value : toByteString(escapeHtml(value))))
    let page = first
    for (let index = 0; index < order.length; index++) {
      page += (escaped[order[index] as number] as string) + (rest[index] as string)
    }
    return Buffer.from(page, 'latin1')
  }
}

/** The UTF-8 of a text, one character for each byte: such strings are joined and copied fastest. */
function toByteString(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text
}
