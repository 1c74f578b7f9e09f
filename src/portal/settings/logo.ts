// The operator's logo. Its content determines its type, as in a browser.
import { isUtf8 } from 'node:buffer'

export interface Logo {
  readonly path: string
  readonly mediaType: 'image/svg+xml' | 'image/png' | 'image/webp'
  readonly bytes: Uint8Array
}

export const MAXIMUM_LOGO_BYTES = 8 * 1024

const PNG = /^\x89PNG\r\n\x1a\n/
const WEBP = /^RIFF.{4}WEBP/s
// An internal document type could define entities without end.
const SVG =
  /^(?:\ufeff)?(?:<\?xml\b[^>]*\?>)?(?:\s|<!--(?:(?!-->).)*-->|<!DOCTYPE\b[^>[]*>)*<svg\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/s

export function logoType(bytes: Uint8Array): Logo['mediaType'] | undefined {
  const start = Buffer.from(bytes).toString('latin1')
  if (PNG.test(start)) return 'image/png'
  if (WEBP.test(start)) return 'image/webp'
  return isUtf8(bytes) && SVG.test(new TextDecoder().decode(bytes)) ? 'image/svg+xml' : undefined
}
