// Pages that differ in a few values only: rendered once with marks in their place, then filled, already encoded.
// A page function neither knows nor cares: it is called once with marks instead of the visitor's values.
import { escapeHtml, type Html } from './html.ts'

/** Gives the markup, as UTF-8, for these values; each is escaped as the `html` template would. */
export type Fill<Slot extends string> = (values: Readonly<Record<Slot, string>>) => Buffer

// Noncharacters: no text of ours holds them, and escaping leaves them alone.
const OPEN = '\ufdd0'
const CLOSE = '\ufdd1'
const MARK = new RegExp(`${OPEN}(\\w+)${CLOSE}`)

/** @param render called once; where it writes `mark(slot)`, the slot's value will stand, as text or in an attribute */
export function compileTemplate<Slot extends string>(render: (mark: (slot: Slot) => string) => Html): Fill<Slot> {
  const parts = render((slot) => OPEN + slot + CLOSE)
    .toString()
    .split(MARK)
  // Constant, slot, constant, slot, …, constant.
  const constants = parts.filter((_, index) => index % 2 === 0).map((part) => Buffer.from(part))
  const slots = parts.filter((_, index) => index % 2 === 1) as Slot[]
  const constantBytes = constants.reduce((sum, { length }) => sum + length, 0)
  const names = [...new Set(slots)].map((name) => ({ name, times: slots.filter((slot) => slot === name).length }))

  return (values) => {
    const escaped = {} as Record<Slot, string>
    let bytes = constantBytes
    for (const { name, times } of names) {
      const text = escapeHtml(values[name])
      escaped[name] = text
      bytes += Buffer.byteLength(text) * times
    }
    const page = Buffer.allocUnsafe(bytes)
    let end = 0
    for (const [index, constant] of constants.entries()) {
      end += constant.copy(page, end)
      const slot = slots[index]
      if (slot !== undefined) end += page.write(escaped[slot], end)
    }
    return page
  }
}
