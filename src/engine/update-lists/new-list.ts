// A list on its way into the folder: written next to the current one, judged as the engine will judge it, and renamed.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import { chmod, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { quoted } from '../../settings/shown.ts'
import { NEW_SYNCED_FILE } from '../files/atomic-file.ts'
import { WEB_PAGE } from '../policy/file-format.ts'
import { contentRejection, createListReader } from '../policy/lists/list-reader.ts'
import { byteSource } from './byte-source.ts'
import type { Unpacked } from './unpack.ts'

/** Enough to recognise a format. */
const BEGINNING_BYTES = 512
/** A list of up to this many bytes may grow at once, whatever its length was. */
const SHORT = 200_000
const WRITE_BYTES = 1024 * 1024
const UNPACKED = '; a list is text, or files named "domains" in a tar archive, also compressed with gzip'

/**
 * Replaces the list in the folder if the new one is acceptable.
 * @returns whether it differs
 * @throws {Error} with why the current list stays
 */
export async function replaceList(folder: string, name: string, { thing, content }: Unpacked): Promise<boolean> {
  const path = join(folder, name)
  const unfinished = join(folder, `.update-${randomUUID()}`)
  const remove = () => rmSync(unfinished, { force: true })
  process.once('exit', remove)
  try {
    const judge = createJudge(thing)
    // Each write is on disk when it returns: after a power failure, either the old list or the new one exists.
    const file = await open(unfinished, NEW_SYNCED_FILE, 0o644)
    await pipeline(content, judge.through, file.createWriteStream({ highWaterMark: WRITE_BYTES }))
    const { size, digest } = judge.verdict()
    const current = await stat(path).catch(() => undefined)
    if (current !== undefined) {
      if (current.size === size && (await digestOf(path)) === digest) return false
      const change = lengthRejection(size, current.size)
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

function createJudge(thing: string) {
  let names = 0
  const lines = createListReader('auto', () => names++)
  const hash = createHash('sha256')
  let size = 0
  let hasNul = false
  let beginning = ''
  return {
    async *through(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
      const source = byteSource(content)
      beginning = (await source.peek(BEGINNING_BYTES)).toString()
      for await (const chunk of source.rest()) {
        size += chunk.length
        hasNul ||= chunk.includes(0)
        hash.update(chunk)
        for (let at = 0; at < chunk.length; ) {
          const space = lines.space()
          const count = chunk.copy(space, 0, at)
          lines.advance(count)
          at += count
        }
        yield chunk
      }
      lines.finish()
    },
    /** @throws {Error} with why it is no list */
    verdict() {
      const malformed = lines.malformed()
      // Of a page, many lines may look like names.
      const isPage = malformed.fileFormat === WEB_PAGE
      const rejection = contentRejection(isPage ? 0 : names, malformed)?.replace(/: unpack it$/, UNPACKED)
      const [first] = /\S.*/.exec(beginning) ?? []
      // It is public, unlike a file that the engine reads.
      const quote = malformed.fileFormat === undefined && first !== undefined ? `; it begins ${quoted(first)}` : ''
      if (rejection !== undefined) throw new Error(`${thing} ${rejection}${quote}`)
      if (hasNul) throw new Error(`${thing} must be text; it has NUL bytes`)
      return { size, digest: hash.digest('base64url') }
    },
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('base64url')
}

function lengthRejection(size: number, current: number): string | undefined {
  const change =
    2 * size < current ? 'less than half' : size > SHORT && size > 10 * current ? 'more than ten times' : undefined
  return (
    change &&
    `the download is ${change} as long as the current list, ${size} bytes instead of ${current}; remove that one to accept it`
  )
}
