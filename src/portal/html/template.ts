// Pages that differ in a few values only: rendered once with marks in their place, then filled, already encoded.
// A page function neither knows nor cares: it is called once with marks instead of the visitor's values.
import { type ByteString, toByteString } from './byte-string.ts'
import { escapeHtml, type Html } from './html.ts'

/** Gives the markup for these values, in the order of the slots; each is escaped as by `html`. */
export type Fill = (values: readonly string[]) => ByteString

/** Any text; or what holds nothing special in markup and nothing beyond ASCII, whatever the visitor brings. */
export type Slot = 'text' | 'plain'

// Noncharacters: no text of ours holds them, and escaping leaves them alone.
const OPEN = '\ufdd0'
const CLOSE = '\ufdd1'
const MARK = new RegExp(`${OPEN}(\\d+)${CLOSE}`)
/** Perhaps special in markup, or beyond ASCII: most values hold nothing of it, told by one look. */
const NOT_PLAIN = /[^\w\-./:?=% ]/

/**
 * @param slots what each value is
 * @param render called once; where it writes a mark, that slot's value will stand, as text or in an attribute
 */
export function compileTemplate(slots: readonly Slot[], render: (marks: readonly string[]) => Html): Fill {
  const marks = slots.map((_, slot) => `${OPEN}${slot}${CLOSE}`)
  // Constant, slot, constant, slot, …, constant.
  const parts = render(marks).toString().split(MARK)
  // Anew, even what is plain: cut from a text with marks, it would take two bytes for each character.
  const constants = parts.filter((_, index) => index % 2 === 0).map((text) => Buffer.from(text).toString('latin1'))
  const [first, ...rest] = constants as [string, ...string[]]
  const order = parts.filter((_, index) => index % 2 === 1).map(Number)
  const used = [...new Set(order)]
  const isPlain = slots.map((slot) => slot === 'plain')
  const filled = marks.map(() => '')

  return (values) => {
    for (const slot of used) filled[slot] = isPlain[slot] ? (values[slot] as string) : encode(values[slot] as string)
    let page = first
    for (let index = 0; index < order.length; index++) {
      page += (filled[order[index] as number] as string) + (rest[index] as string)
    }
    return page as ByteString
  }
}

function encode(value: string): string {
  return NOT_PLAIN.test(value) ? toByteString(escapeHtml(value)) : value
}
