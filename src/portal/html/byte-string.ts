// Text on its way out: UTF-8 held as one character for each byte. Such strings are joined, measured and written fastest.

declare const encoded: unique symbol

/** UTF-8, one character (U+0000 to U+00FF) for each byte: to be written as `latin1`. */
export type ByteString = string & { readonly [encoded]: true }

const NOT_ASCII = /[^\0-\x7f]/

export function toByteString(text: string): ByteString {
  return (NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text) as ByteString
}
