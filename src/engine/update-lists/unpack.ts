// The list in a download: text, or the files of a tar archive whose names end with "domains", either also compressed with gzip.
// Its content decides, not its address. Nothing is written under a name of the archive.
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { escaped } from '../../settings/shown.ts'
import { type ByteSource, byteSource } from './byte-source.ts'
import { BLOCK_BYTES, isTarHeader, tarMembers } from './tar.ts'

export interface Unpacked {
  /** What the list is in, worded to precede `must be …`. */
  readonly thing: string
  readonly content: AsyncGenerator<Buffer, void, undefined>
  /** What of an archive became the list, once it has been read; empty for most. */
  notes(): string
}

/** Of a list, and of a download. */
export const MAXIMUM_BYTES = 256 * 1024 * 1024
export const TOO_LONG = 'the download is longer than 256 MiB'
/** `unpacked`: a small archive may unpack to terabytes. */
const LIMITS = { list: MAXIMUM_BYTES, unpacked: 1024 * 1024 * 1024 }
const NAMED_FILES = 10
const MAXIMUM_SHOWN = 100

/** @param limits in bytes; the defaults except in tests */
export async function unpack(download: AsyncIterable<Buffer>, limits = LIMITS): Promise<Unpacked> {
  const packed = byteSource(limited(download, limits.list, TOO_LONG))
  const isGzip = (await packed.peek(2)).toString('hex') === '1f8b'
  const source = isGzip ? gunzip(packed, limits.unpacked) : packed
  if (isTarHeader(await source.peek(BLOCK_BYTES))) return listOf(source, limits.list)
  return {
    thing: isGzip ? 'unpacked, the download' : 'the download',
    content: limited(source.rest(), limits.list, 'unpacked, the download is longer than 256 MiB'),
    notes: () => '',
  }
}

async function* limited(
  chunks: AsyncIterable<Buffer>,
  most: number,
  fault: string,
): AsyncGenerator<Buffer, void, undefined> {
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > most) throw new Error(fault)
    yield chunk
  }
}

function gunzip(packed: ByteSource, most: number): ByteSource {
  const unpacked = createGunzip({ chunkSize: 64 * 1024 })
  // Reading it reports every error.
  pipeline(Readable.from(packed.rest()), unpacked, () => {})
  return byteSource(limited(unpacked, most, 'the download unpacks to more than 1 GiB'))
}

function listOf(source: ByteSource, most: number): Unpacked {
  const files: string[] = []
  let links = 0
  async function* join(): AsyncGenerator<Buffer, void, undefined> {
    for await (const { name, isFile, isLink, content } of tarMembers(source)) {
      if (!name.endsWith('domains')) continue
      if (isLink) links++
      if (!isFile) continue
      if (files.push(name) > 1) yield Buffer.from('\n')
      yield* content()
    }
    // So that an archive that was cut after its last file is not accepted.
    for await (const _ of source.rest());
    if (files.length === 0) throw new Error('the archive has no file named "domains"')
  }
  return {
    thing: 'the list in the archive',
    content: limited(join(), most, 'the list in the archive is longer than 256 MiB'),
    notes() {
      const names = files.slice(0, NAMED_FILES).map((name) => escaped(name.slice(0, MAXIMUM_SHOWN)))
      const joined = `; joined ${files.length} files of the archive: ${names.join(', ')}${files.length > NAMED_FILES ? ', …' : ''}`
      const left = `; without ${links} ${links === 1 ? 'link' : 'links'} of the archive`
      return `${files.length > 1 ? joined : ''}${links > 0 ? left : ''}`
    },
  }
}
