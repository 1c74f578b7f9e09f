// What a file or a download has when it is unpacked. Its content shows whether it is compressed, not its name.
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type ByteSource, byteSource } from './byte-source.ts'
import { BLOCK_BYTES, isTarHeader } from './tar.ts'

export interface UnpackedFile {
  readonly source: ByteSource
  readonly isCompressed: boolean
  readonly isArchive: boolean
}

/** A small archive may unpack to terabytes. */
export const MAXIMUM_UNPACKED_BYTES = 1024 * 1024 * 1024

/** @param tooLong the error where it unpacks to more than `most` bytes */
export async function unpackFile(packed: ByteSource, most: number, tooLong: string): Promise<UnpackedFile> {
  const isCompressed = (await packed.peek(2)).toString('hex') === '1f8b'
  const source = isCompressed ? gunzip(packed, most, tooLong) : packed
  return { source, isCompressed, isArchive: isTarHeader(await source.peek(BLOCK_BYTES)) }
}

export async function* limited(
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

function gunzip(packed: ByteSource, most: number, tooLong: string): ByteSource {
  const unpacked = createGunzip({ chunkSize: 64 * 1024 })
  // Reading it reports every error.
  pipeline(Readable.from(packed.rest()), unpacked, () => {})
  return byteSource(limited(unpacked, most, tooLong))
}
