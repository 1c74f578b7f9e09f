// A page that differs between visitors only in a few texts: rendered and encoded once with placeholders, then filled
// in.
import { type ByteString, toByteString } from './byte-string.ts'
import { escapeHtml, type Html, MARK, Placeholder } from './html.ts'

/** `plain` text never contains a character outside ASCII, or one that is special in markup. */
type TextKind = 'any' | 'plain'

export type TextKinds<Name extends string> = Readonly<Record<Name, TextKind>>

/** Printed by a page function instead of the visitor's texts. */
export type Placeholders<Name extends string> = Readonly<Record<Name, Placeholder>>

/** Returns the markup with these texts; each is escaped as by `html`. */
export type Fill<Name extends string> = (texts: Readonly<Record<Name, string>>) => ByteString

/** Characters that may be special in markup or outside ASCII. Most texts do not match, and need no encoding. */
const NOT_PLAIN = /[^\w\-./:?=% ]/

export function placeholders<Name extends string>(kinds: TextKinds<Name>): Placeholders<Name> {
  const named = Object.keys(kinds).map((name, index) => [name, new Placeholder(index)])
  return Object.fromEntries(named)
}

/** @param render called once; placeholders may be in text or in quoted attributes */
export function compileTemplate<Name extends string>(
  kinds: TextKinds<Name>,
  render: (texts: Placeholders<Name>) => Html,
): Fill<Name> {
  const names = Object.keys(kinds) as Name[]
  // Constant, index, constant, index, …, constant.
  const parts = render(placeholders(kinds)).toString().split(MARK)
  // Copied: a substring of a text with noncharacters would use two bytes per character.
  const constants = parts.filter((_, index) => index % 2 === 0).map((text) => Buffer.from(text).toString('latin1'))
  const [first, ...rest] = constants as [string, ...string[]]
  const order = parts.filter((_, index) => index % 2 === 1).map(Number)
  const used = [...new Set(order)].map((index) => {
    const name = names[index] as Name
    return { index, name, isPlain: kinds[name] === 'plain' }
  })
  const encoded = names.map(() => '')

  return (texts) => {
    for (const { index, name, isPlain } of used) encoded[index] = isPlain ? texts[name] : encode(texts[name])
    let page = first
    for (let index = 0; index < order.length; index++) {
      page += (encoded[order[index] as number] as string) + (rest[index] as string)
    }
    return page as ByteString
  }
}

function encode(text: string): string {
  return NOT_PLAIN.test(text) ? toByteString(escapeHtml(text)) : text
}
