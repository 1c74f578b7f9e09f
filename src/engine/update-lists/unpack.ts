// The list in a download: text, or the files "domains" and "urls" of one list in a tar archive, either also compressed with gzip.
// Its content decides, not its address. Nothing is written under a name of the archive.

import { type ByteSource, byteSource } from '../../archive/byte-source.ts'
import { tarMembers } from '../../archive/tar.ts'
import { limited, MAXIMUM_UNPACKED_BYTES, unpackFile } from '../../archive/unpacked.ts'
import { quoted } from '../../settings/shown.ts'
import { normal, partOf } from '../policy/lists/archive/member.ts'

export interface Unpacked {
  /** What the list is in, worded to precede `must be …`. */
  readonly thing: string
  readonly content: AsyncGenerator<Buffer, void, undefined>
}

/** Of a list, and of a download. */
export const MAXIMUM_BYTES = 256 * 1024 * 1024
export const TOO_LONG = 'the download is longer than 256 MiB'
export const UNPACKS_TOO_LONG = 'the download unpacks to more than 1 GiB'
const LIMITS = { list: MAXIMUM_BYTES, unpacked: MAXIMUM_UNPACKED_BYTES }

/** @param limits in bytes; the defaults except in tests */
export async function unpack(download: AsyncIterable<Buffer>, limits = LIMITS): Promise<Unpacked> {
  const packed = byteSource(limited(download, limits.list, TOO_LONG))
  const { source, isCompressed, isArchive } = await unpackFile(packed, limits.unpacked, UNPACKS_TOO_LONG)
  if (isArchive) return listOf(source, limits.list)
  return {
    thing: isCompressed ? 'unpacked, the download' : 'the download',
    content: limited(source.rest(), limits.list, 'unpacked, the download is longer than 256 MiB'),
  }
}

function listOf(source: ByteSource, most: number): Unpacked {
  async function* join(): AsyncGenerator<Buffer, void, undefined> {
    let list: string | undefined
    for await (const { name, isFile, content } of tarMembers(source)) {
      const part = partOf(normal(name))
      if (!isFile || part.kind === 'file') continue
      if (list !== undefined && list !== part.list) {
        const both = `${quoted(list)} and ${quoted(part.list)}`
        throw new Error(`the archive has several lists, such as ${both}: name the file .tar.gz, and one as its member`)
      }
      if (list !== undefined) yield Buffer.from('\n')
      list = part.list
      yield* content()
    }
    // So that an archive that was cut after its last file is not accepted.
    for await (const _ of source.rest());
    if (list === undefined) throw new Error('the archive has no file named "domains" or "urls"')
  }
  return {
    thing: 'the list in the archive',
    content: limited(join(), most, 'the list in the archive is longer than 256 MiB'),
  }
}
