// Pages that differ in a few values only: rendered once with marks in their place, then filled, already encoded.
// A page function neither knows nor cares: it is called once with marks instead of the visitor's values.
import { type ByteString, toByteString } from './byte-string.ts'
import { escapeHtml, type Html } from './html.ts'

/** Gives the markup for these values, in the order of the slots; each is escaped as by `html`. */
export type Fill = (values: readonly string[]) => ByteString

// Noncharacters: no text of ours holds them, and escaping leaves them alone.
const OPEN = '\ufdd0'
const CLOSE = '\ufdd1'
const MARK = new RegExp(`${OPEN}(\\d+)${CLOSE}`)
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
  // Anew, even what is plain: cut from a text with marks, it would take two bytes for each character.
  const constants = parts.filter((_, index) => index % 2 === 0).map((text) => Buffer.from(text).toString('latin1'))
  const [first, ...rest] = constants as [string, ...string[]]
  const order = parts.filter((_, index) => index % 2 === 1).map(Number)
  const used = [...new Set(order)]
  const filled = marks.map(() => '')

  return (values) => {
    for (const slot of used) filled[slot] = encode(values[slot] as string)
    let page = first
    for (let index = 0; index < order.length; index++) {
      page += (filled[order[index] as number] as string) + (rest[index] as string)
    }
    return page as ByteString
  }
}

function encode(value: string): string {
  return PLAIN.test(value) ? value : toByteString(escapeHtml(value))
}
