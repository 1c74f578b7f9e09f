// One list of a tar archive: a file in it, or a folder with files named "domains" and "urls", as UT1 and squidGuard have them:
// `adult/domains`, `blacklists/adult/urls`. Nothing is written under a name of the archive.
import type { Hash } from 'node:crypto'
import { readSync } from 'node:fs'
import { byteSource } from '../../../../archive/byte-source.ts'
import { tarMembers } from '../../../../archive/tar.ts'
import { MAXIMUM_UNPACKED_BYTES, unpackFile } from '../../../../archive/unpacked.ts'
import { quoted } from '../../../../settings/shown.ts'
import { formatOf } from '../../file-format.ts'
import type { ListFormat } from '../domain-list.ts'
import type { ListCollector } from '../list-collector.ts'
import type { ListReader } from '../list-reader.ts'

/** A file of a list, in an archive. */
export interface ListPart {
  /** Its folder, or the file itself: `blacklists/adult`. */
  readonly list: string
  readonly kind: 'file' | 'domains' | 'urls'
}

/** How far an archive has been read. */
interface ArchiveReading {
  position: number
  readonly digest: Hash
  isOver: boolean
}

const TOO_LONG = 'it unpacks to more than 1 GiB'
const CHUNK_BYTES = 256 * 1024
const NAMED = 10

/**
 * Reads the member's files into the collector.
 * @param content gets what they have
 * @param archive gets all that the archive has
 * @throws {Error} with why it cannot be read, worded to follow `must be a file that can be read; `
 */
export async function readMember(
  file: number,
  member: string,
  format: ListFormat,
  list: ListCollector,
  content: Hash,
  archive: Hash,
): Promise<void> {
  const reading = { position: 0, digest: archive, isOver: false }
  try {
    const { source, isArchive } = await unpackFile(
      byteSource(chunksOf(file, reading)),
      MAXIMUM_UNPACKED_BYTES,
      TOO_LONG,
    )
    if (!isArchive) {
      const is = formatOf(await source.peek(512)) ?? 'another file'
      throw new Error(`as an archive it must be tar, also compressed with gzip; it is ${is}`)
    }
    const wanted = normal(member)
    const found = new Map<string, ListPart>()
    const folders = new Set<string>()
    for await (const { name, isFile, linkTo, content: bytes } of tarMembers(source)) {
      const path = normal(name)
      if (linkTo !== undefined && isAt(path, wanted)) {
        throw new Error(`its member ${quoted(wanted)} is a link: write ${quoted(normal(linkTo))} instead`)
      }
      if (!isFile) continue
      const part = partOf(path)
      if (part.kind !== 'file') folders.add(part.list)
      const isWanted = isAt(part.list, wanted) || isAt(path, wanted)
      if (!isWanted) continue
      const own: ListPart = isAt(path, wanted) ? { list: path, kind: 'file' } : part
      const other = [...found.values()].find((one) => one.list !== own.list || one.kind === own.kind)
      if (other !== undefined) {
        throw new Error(`it has ${quoted(other.list)} and ${quoted(own.list)}: name the member with its folder`)
      }
      found.set(path, own)
      // The order in which they are archived makes no difference to squidGuard, either.
      const label = own.kind === 'file' ? '' : `${own.kind}: `
      await readLines(bytes(), list, list.read(own.kind === 'urls' ? 'urls' : format, label), content)
    }
    // So that an archive that was cut after the member is not accepted.
    for await (const _ of source.rest());
    // What follows the compressed data.
    for await (const _ of chunksOf(file, reading));
    if (found.size === 0) throw new Error(`it has no member ${quoted(wanted)}; ${listed(folders)}`)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw code.startsWith('Z_') ? new Error('the archive is damaged or cut') : error
  } finally {
    reading.isOver = true
  }
}

/** Not by a stream, which would close the file. After a fault, nothing more is read. */
async function* chunksOf(file: number, reading: ArchiveReading): AsyncGenerator<Buffer, void, undefined> {
  while (!reading.isOver) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const length = readSync(file, chunk, 0, CHUNK_BYTES, reading.position)
    if (length === 0) return
    reading.position += length
    reading.digest.update(chunk.subarray(0, length))
    yield chunk.subarray(0, length)
  }
}

async function readLines(
  content: AsyncIterable<Buffer>,
  list: ListCollector,
  lines: ListReader,
  digest: Hash,
): Promise<void> {
  for await (const chunk of content) {
    digest.update(chunk)
    if (list.hasTooMany) continue
    for (let at = 0; at < chunk.length; ) {
      const count = chunk.copy(lines.space(), 0, at)
      lines.advance(count)
      at += count
    }
  }
  digest.update('\n')
  lines.finish()
}

/** Of the path of a file in an archive. */
export function partOf(path: string): ListPart {
  const [, folder = '', kind] = /^(?:(.+)\/)?(domains|urls)$/.exec(path) ?? []
  if (kind === undefined) return { list: path, kind: 'file' }
  return { list: folder, kind: kind === 'urls' ? 'urls' : 'domains' }
}

/** Without what tar may write before or after a name. */
export function normal(path: string): string {
  return path.replace(/^(\.?\/)+/, '').replace(/\/+$/, '')
}

/** Whether a path is this one, in any folder. */
function isAt(path: string, wanted: string): boolean {
  return path === wanted || path.endsWith(`/${wanted}`)
}

function listed(folders: ReadonlySet<string>): string {
  if (folders.size === 0) return 'none of its files is named "domains" or "urls"'
  const first = [...folders].sort().slice(0, NAMED).map(quoted)
  return `it has ${first.join(', ')}${folders.size > NAMED ? ', …' : ''}`
}
