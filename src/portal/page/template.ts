// A page that differs between visitors only in a few texts: rendered and encoded once with placeholders, then filled
// in.

import { escapeHtml, type Html, MARK, Placeholder } from '../../html/html.ts'
import { type Body, constantPart } from './body.ts'
import { type ByteString, toByteString } from './byte-string.ts'

/** `plain` text never contains a character outside ASCII, or one that is special in markup; a `host` breaks before a dot. */
type TextKind = 'any' | 'plain' | 'host'

export type TextKinds<Name extends string> = Readonly<Record<Name, TextKind>>

/** Printed by a page function instead of the visitor's texts. */
export type Placeholders<Name extends string> = Readonly<Record<Name, Placeholder>>

/** Returns the markup with these texts; each is escaped as by `html`. */
export type Fill<Name extends string> = (texts: Readonly<Record<Name, string>>) => Body

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
  const split = render(placeholders(kinds)).toString().split(MARK)
  const parts = partsOf(split)
  const indexes = split.filter((_, at) => at % 2 === 1).map(Number)
  const used = [...new Set(indexes)].map((index) => {
    const name = names[index] as Name
    return { index, name, kind: kinds[name] }
  })
  // One for all fills: they are synchronous, and each sets all that it uses.
  const encoded = names.map(() => '')

  return (texts) => {
    for (const { index, name, kind } of used) encoded[index] = encoders[kind](texts[name])
    return parts.map((part) => (Buffer.isBuffer(part) ? part : fillText(part, encoded)))
  }
}

/** Constant, placeholder, constant, …, constant. */
interface TextPart {
  readonly constants: string[]
  readonly indexes: number[]
}

function partsOf(split: readonly string[]): readonly (TextPart | Buffer)[] {
  let text: TextPart = { constants: [], indexes: [] }
  const parts: (TextPart | Buffer)[] = [text]
  for (const [at, item] of split.entries()) {
    // Copied: a substring of a text with noncharacters would use two bytes per character.
    const next = at % 2 === 0 ? constantPart(item) : Number(item)
    if (typeof next === 'number') text.indexes.push(next)
    else if (typeof next === 'string') text.constants.push(next)
    else {
      text.constants.push('')
      text = { constants: [''], indexes: [] }
      parts.push(next, text)
    }
  }
  return parts
}

function fillText({ constants, indexes }: TextPart, encoded: readonly string[]): ByteString {
  let text = constants[0] as string
  for (let at = 0; at < indexes.length; at++) {
    text += (encoded[indexes[at] as number] as string) + (constants[at + 1] as string)
  }
  return text as ByteString
}

const encoders: Readonly<Record<TextKind, (text: string) => string>> = {
  any: encode,
  plain: (text) => text,
  host: (text) => encode(text).replaceAll('.', '<wbr>.'),
}

function encode(text: string): string {
  return NOT_PLAIN.test(text) ? toByteString(escapeHtml(text)) : text
}
