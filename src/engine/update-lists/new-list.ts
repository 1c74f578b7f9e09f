// A list on its way into the folder: written next to the current one, judged as the engine will judge it, and renamed.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import { chmod, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { byteSource } from '../../archive/byte-source.ts'
import { tarMembers } from '../../archive/tar.ts'
import { limited, MAXIMUM_UNPACKED_BYTES, unpackFile } from '../../archive/unpacked.ts'
import { quoted } from '../../settings/shown.ts'
import { NEW_SYNCED_FILE } from '../files/atomic-file.ts'
import { WEB_PAGE } from '../policy/file-format.ts'
import { normal, partOf } from '../policy/lists/archive/member.ts'
import type { ListFormat } from '../policy/lists/domain-list.ts'
import { contentRejection, createListReader, type MalformedLines } from '../policy/lists/list-reader.ts'
import { lostToExceptions, type Stopping } from '../policy/reload/losses.ts'
import { MAXIMUM_BYTES, TOO_LONG, UNPACKS_TOO_LONG, type Unpacked } from './unpack.ts'

/** Enough to recognise a format. */
const BEGINNING_BYTES = 512
/** A list of up to this many bytes may grow at once, whatever its length was. */
const SHORT = 200_000
const WRITE_BYTES = 1024 * 1024
const UNPACKED = '; a list is text, or files named "domains" and "urls" in a tar archive, also compressed with gzip'

/** What judges a download while it is written. */
interface Judge {
  through(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined>
  /**
   * @param path what was written
   * @returns what it has; undefined for an archive, whose lists the engine compares
   * @throws {Error} with why it is no list
   */
  verdict(path: string): Promise<Stopping | undefined>
}

/**
 * Replaces the list in the folder if the new one is acceptable.
 * @returns whether it differs
 * @throws {Error} with why the current list stays
 */
export async function replaceList(folder: string, name: string, { thing, content }: Unpacked): Promise<boolean> {
  return replace(folder, name, content, createJudge(thing))
}

/** Whether a file of this name is kept as the archive that it is: its members are lists. */
export function isArchiveName(name: string): boolean {
  return /\.(tar|tar\.gz|tgz)$/.test(name)
}

/** Replaces an archive in the folder, as `replaceList` does a list. @param download of at most 256 MiB */
export async function replaceArchive(folder: string, name: string, download: AsyncIterable<Buffer>): Promise<boolean> {
  const through = (content: AsyncIterable<Buffer>) => limited(content, MAXIMUM_BYTES, TOO_LONG)
  return replace(folder, name, download, { through, verdict: judgeArchive })
}

async function replace(folder: string, name: string, content: AsyncIterable<Buffer>, judge: Judge): Promise<boolean> {
  const path = join(folder, name)
  const unfinished = join(folder, `.update-${randomUUID()}`)
  const remove = () => rmSync(unfinished, { force: true })
  process.once('exit', remove)
  try {
    const hash = createHash('sha256')
    let size = 0
    async function* hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of chunks) {
        size += chunk.length
        hash.update(chunk)
        yield chunk
      }
    }
    // Each write is on disk when it returns: after a power failure, either the old list or the new one exists.
    const file = await open(unfinished, NEW_SYNCED_FILE, 0o644)
    await pipeline(content, judge.through, hashed, file.createWriteStream({ highWaterMark: WRITE_BYTES }))
    const found = await judge.verdict(unfinished)
    const current = await stat(path).catch(() => undefined)
    if (current !== undefined) {
      if (current.size === size && (await digestOf(path)) === hash.digest('base64url')) return false
      const change = lengthRejection(size, current.size) ?? (await exceptionsRejection(found, path))
      if (change !== undefined) throw new Error(change)
    }
    await chmod(unfinished, 0o644)
    await rename(unfinished, path)
    return true
  } finally {
    remove()
    process.removeListener('exit', remove)
  }
}

/** Counts the entries of a list, and its exceptions. */
function createCounter(format: ListFormat) {
  let count = 0
  let exceptions = 0
  const add = () => void count++
  const addException = () => void exceptions++
  const addUrl = () => {
    count++
    return 'read' as const
  }
  const except = { except: addException, exceptItself: addException, exceptBelow: addException }
  const lines = createListReader(format, { addName: add, addUrl, addNetwork: add, ...except })
  return {
    add(chunk: Buffer): void {
      for (let at = 0; at < chunk.length; ) {
        const taken = chunk.copy(lines.space(), 0, at)
        lines.advance(taken)
        at += taken
      }
    },
    finish(): { readonly count: number; readonly exceptions: number; readonly malformed: MalformedLines } {
      lines.finish()
      return { count, exceptions, malformed: lines.malformed() }
    },
  }
}

function createJudge(thing: string): Judge {
  const counter = createCounter('auto')
  let hasNul = false
  let beginning = ''
  return {
    async *through(content) {
      const source = byteSource(content)
      beginning = (await source.peek(BEGINNING_BYTES)).toString()
      for await (const chunk of source.rest()) {
        hasNul ||= chunk.includes(0)
        counter.add(chunk)
        yield chunk
      }
    },
    async verdict() {
      const { count, exceptions, malformed } = counter.finish()
      // Of a page, many lines may look like names.
      const isPage = malformed.fileFormat === WEB_PAGE
      const rejection = contentRejection(isPage ? 0 : count, malformed)?.replace(/: unpack it$/, UNPACKED)
      const [first] = /\S.*/.exec(beginning) ?? []
      // It is public, unlike a file that the engine reads.
      const quote = malformed.fileFormat === undefined && first !== undefined ? `; it begins ${quoted(first)}` : ''
      if (rejection !== undefined) throw new Error(`${thing} ${rejection}${quote}`)
      if (hasNul) throw new Error(`${thing} must be text; it has NUL bytes`)
      return { names: count, exceptions }
    },
  }
}

/** At least one of its files must be a list: the engine rejects the others one by one. @throws {Error} where none is */
async function judgeArchive(path: string): Promise<undefined> {
  const packed = byteSource(createReadStream(path))
  const { source, isArchive } = await unpackFile(packed, MAXIMUM_UNPACKED_BYTES, UNPACKS_TOO_LONG)
  if (!isArchive) throw new Error('the download must be a tar archive, also compressed with gzip, as its name says')
  let lists = 0
  for await (const { name, isFile, content } of tarMembers(source)) {
    if (!isFile) continue
    const counter = createCounter(partOf(normal(name)).kind === 'urls' ? 'urls' : 'auto')
    for await (const chunk of content()) counter.add(chunk)
    const { count, malformed } = counter.finish()
    if (contentRejection(count, malformed) === undefined) lists++
  }
  for await (const _ of source.rest());
  if (lists === 0) throw new Error('none of the files in the archive is a list')
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('base64url')
}

async function exceptionsRejection(found: Stopping | undefined, path: string): Promise<string | undefined> {
  if (found === undefined || found.exceptions === 0) return undefined
  const counter = createCounter('auto')
  for await (const chunk of createReadStream(path)) counter.add(chunk)
  const { count, exceptions } = counter.finish()
  const change = lostToExceptions(found, { names: count, exceptions }, 'Remove the current list to accept it')
  return change && `the download ${change}`
}

function lengthRejection(size: number, current: number): string | undefined {
  const change =
    2 * size < current ? 'less than half' : size > SHORT && size > 10 * current ? 'more than ten times' : undefined
  return (
    change &&
    `the download is ${change} as long as the current list, ${size} bytes instead of ${current}; remove that one to accept it`
  )
}
