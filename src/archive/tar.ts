// Reads a tar archive as a stream: POSIX 1003.1 (ustar, pax), GNU's long names, and the older v7. Nothing is extracted by its name.
import type { ByteSource } from './byte-source.ts'

export interface Member {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'hard link' | 'symbolic link' | 'other'
  readonly isFile: boolean
  /** Its permissions; 0 where the archive has none. */
  readonly mode: number
  /** Names of its owner; empty where the archive has none. */
  readonly user: string
  readonly group: string
  /** Of a hard or a symbolic link, what it names. */
  readonly linkTo: string | undefined
  /** Of a file; what is not read is skipped. */
  content(): AsyncGenerator<Buffer, void, undefined>
}

export const BLOCK_BYTES = 512
/** Of names and other attributes. */
const MAXIMUM_HEADER_BYTES = 64 * 1024
const LINKS = '12'
/** Regular files, also as v7 and as contiguous ones. */
const FILES = '\x0007'
const KINDS: Readonly<Record<string, Member['kind']>> = { 1: 'hard link', 2: 'symbolic link', 5: 'folder' }

/** Whether an archive begins with this block. Its checksum counts its own field as spaces. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < BLOCK_BYTES) return false
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  return sum > 8 * 0x20 && octal(Buffer.from(block), 148, 8) === sum
}

/** @throws {Error} for an archive that is damaged, cut, or has a long header */
export async function* tarMembers(source: ByteSource): AsyncGenerator<Member, void, undefined> {
  let attributes: Partial<Record<string, string>> = {}
  for (;;) {
    // Some archives end without the two blocks of zeros.
    if ((await source.peek(1)).length === 0) return
    const header = await source.read(BLOCK_BYTES)
    if (header.every((byte) => byte === 0)) return
    if (!isTarHeader(header)) throw new Error('the archive is damaged')
    const type = header.toString('latin1', 156, 157)
    const size = attributes.size === undefined ? sizeOf(header) : Number(attributes.size)
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('the archive is damaged')
    if ('LKxg'.includes(type)) {
      if (size > MAXIMUM_HEADER_BYTES) throw new Error(`the archive has a header of ${size} bytes`)
      const text = (await source.read(padded(size))).subarray(0, size)
      if (type === 'K') attributes = { ...attributes, linkpath: textOf(text, 0, size) }
      if (type === 'L') attributes = { ...attributes, path: textOf(text, 0, size) }
      if (type === 'x') attributes = { ...attributes, ...paxAttributes(text) }
      continue
    }
    const name = attributes.path ?? nameOf(header)
    const linkTo = LINKS.includes(type) ? (attributes.linkpath ?? textOf(header, 157, 257)) : undefined
    const isUstar = header.toString('latin1', 257, 262) === 'ustar'
    const owner = {
      user: attributes.uname ?? (isUstar ? textOf(header, 265, 297) : ''),
      group: attributes.gname ?? (isUstar ? textOf(header, 297, 329) : ''),
    }
    attributes = {}
    // Links, devices and folders have no content, whatever their size says.
    let left = '123456'.includes(type) ? 0 : padded(size)
    const padding = left - size
    async function* upTo(end: number): AsyncGenerator<Buffer, void, undefined> {
      while (left > end) {
        const bytes = await source.some(left - end)
        if (bytes.length === 0) throw new Error('the archive is cut')
        left -= bytes.length
        yield bytes
      }
    }
    const kind = kindOf(type, name)
    const mode = (octal(header, 100, 8) || 0) & 0o7777
    yield { name, kind, isFile: kind === 'file', mode, ...owner, linkTo, content: () => upTo(padding) }
    for await (const _ of upTo(0));
  }
}

function kindOf(type: string, name: string): Member['kind'] {
  if (FILES.includes(type)) return name.endsWith('/') ? 'folder' : 'file'
  return KINDS[type] ?? 'other'
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
}

function nameOf(header: Buffer): string {
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? textOf(header, 345, 500) : ''
  return `${prefix}${prefix === '' ? '' : '/'}${textOf(header, 0, 100)}`
}

/** Records such as `30 path=adult/domains\n`, with their length in bytes. */
function paxAttributes(bytes: Buffer): Partial<Record<string, string>> {
  const attributes: Record<string, string> = {}
  for (let at = 0; at < bytes.length; ) {
    const [start = '', length, key = ''] = /^(\d{1,6}) ([^=\n]+)=/.exec(bytes.toString('latin1', at, at + 256)) ?? []
    if (Number(length) <= start.length || at + Number(length) > bytes.length) throw new Error('the archive is damaged')
    attributes[key] = bytes.toString('utf8', at + start.length, at + Number(length) - 1)
    at += Number(length)
  }
  return attributes
}

/** GNU tar writes sizes from 8 GiB on in base 256, after a byte of 0x80. NaN for what is not valid. */
function sizeOf(header: Buffer): number {
  if (header[124] !== 0x80) return octal(header, 124, 12)
  return header.subarray(125, 128).some((byte) => byte !== 0) ? Number.NaN : Number(header.readBigUInt64BE(128))
}

/** NaN for anything else. */
function octal(bytes: Buffer, start: number, length: number): number {
  const text = textOf(bytes, start, start + length).trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN
}

/** Up to the first NUL. */
function textOf(bytes: Buffer, start: number, end: number): string {
  const field = bytes.subarray(start, end)
  const nul = field.indexOf(0)
  return field.toString('utf8', 0, nul === -1 ? field.length : nul)
}
