// UTF-8 as a string with one character per byte. Such strings are the fastest to join, measure and write.

declare const encoded: unique symbol

/** UTF-8, one character (U+0000 to U+00FF) per byte; write it as `latin1`. */
export type ByteString = string & { readonly [encoded]: true }

const NOT_ASCII = /[^\0-\x7f]/

export function toByteString(text: string): ByteString {
  return (NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text) as ByteString
}
