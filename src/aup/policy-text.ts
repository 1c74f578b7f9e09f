// The operator's policy in one language: reads, checks and digests its file. `gatewayctl` runs the same checks before it
// restarts a portal.
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { readStart } from '../settings/file.ts'
import type { Locale } from '../settings/sections/locales.ts'
import { encodingFault } from './encoding.ts'
import { PolicyFault } from './fault.ts'
import { type PolicyNode, parseMarkdown } from './markdown.ts'

export interface PolicyText {
  /** The language of the text. */
  readonly locale: Locale
  /** The Markdown, with every byte of the file. */
  readonly source: string
  /** SHA-256 of the file, lower-case hexadecimal: what `sha256sum` prints. */
  readonly sha256: string
  readonly nodes: readonly PolicyNode[]
}

const MAXIMUM_BYTES = 256 * 1024

/** @throws {PolicyFault} */
export function readPolicyText(path: string, locale: Locale): PolicyText {
  const bytes = readFile(path)
  const fault = encodingFault(bytes)
  if (fault !== undefined) throw new PolicyFault(`must be UTF-8; ${fault}`)
  // A byte order mark stays: the digest is that of the file.
  const source = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const foreign = /[[\p{Cc}\p{Noncharacter_Code_Point}]--[\t\n\r]]/v.exec(source)
  if (foreign !== null) {
    const line = source.slice(0, foreign.index).split('\n').length
    throw new PolicyFault(`must contain only text; line ${line} contains the character ${codePoint(foreign[0])}`)
  }
  const nodes = parseMarkdown(source.replace(/^\ufeff/, ''))
  if (nodes.length === 0) throw new PolicyFault('must not be empty; it contains nothing that a page would show')
  return { locale, source, sha256: createHash('sha256').update(bytes).digest('hex'), nodes }
}

/** The whole file, of at most 256 KiB; a larger one is not read. */
function readFile(path: string): Uint8Array {
  try {
    const found = statSync(path)
    // Opening a pipe might block forever.
    if (!found.isFile())
      throw new PolicyFault(`must be a file; it is ${found.isDirectory() ? 'a folder' : 'a device or a pipe'}`)
    if (found.size > MAXIMUM_BYTES) throw new PolicyFault(tooLarge(found.size))
    const bytes = readStart(path, MAXIMUM_BYTES)
    if (bytes.length > MAXIMUM_BYTES) throw new PolicyFault(tooLarge(bytes.length))
    return bytes
  } catch (error) {
    if (error instanceof PolicyFault) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new PolicyFault('must exist; it is missing')
    throw new PolicyFault(`must be readable; the system reports ${code ?? 'no reason'}`)
  }
}

function tooLarge(bytes: number): string {
  return `must have at most ${MAXIMUM_BYTES} bytes; it has ${bytes}`
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
}
