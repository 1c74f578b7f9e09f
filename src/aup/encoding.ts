// Why a file is not UTF-8, with what converts it. The record stores the text by the digest of its file, so a file in another
// encoding is not converted silently; and a command for the wrong encoding would destroy characters.
import { isAscii, isUtf8 } from 'node:buffer'

/** Follows "must be UTF-8; ". Undefined for UTF-8. */
export function encodingFault(bytes: Uint8Array): string | undefined {
  const wide = wideEncoding(bytes)
  if (wide !== undefined) return `it is UTF-16 (${advice(wide)})`
  if (isUtf8(bytes)) return undefined
  const text = Buffer.from(bytes).toString('latin1')
  const lines = text.split('\n').map((line) => Buffer.from(line, 'latin1'))
  const fault = `line ${lines.findIndex((line) => !isUtf8(line)) + 1} is not`
  // Conversion would destroy the characters of the other lines.
  if (lines.some((line) => isUtf8(line) && !isAscii(line))) return `${fault}, but others are: correct that line`
  return NOT_WINDOWS.test(text) ? fault : `${fault}: it looks like Windows-1252 (${advice('WINDOWS-1252')})`
}

/** Control characters, and bytes without a meaning in Windows-1252. */
const NOT_WINDOWS = /[\0-\x08\x0e-\x1f\x81\x8d\x8f\x90\x9d]/

function advice(encoding: string): string {
  return `save it as UTF-8, or: iconv -f ${encoding} -t UTF-8 OLD > NEW`
}

/** UTF-16, as `iconv` names it: by its byte order mark, or by the zeros of ASCII in it. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16'
  const start = bytes.subarray(0, 1024)
  const zeros = [0, 0]
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const many = Math.max(3, start.length / 8)
  if (odd > many && even === 0) return 'UTF-16LE'
  return even > many && odd === 0 ? 'UTF-16BE' : undefined
}
