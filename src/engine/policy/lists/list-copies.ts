// The last good copy of each list, kept next to the engine's state: a start uses it where the list's file may not come into
// force. Each file of a list has one copy, named by its digest and shared by all members of an archive, and an index names the
// lists: both are replaced as a whole, so engines may share the folder. A copy whose content has another digest is not used.
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import { NEW_SYNCED_FILE } from '../../files/atomic-file.ts'
import { makeFolder } from '../../files/folders.ts'
import { policyCopyPath } from '../reload/policy-copy.ts'
import { type DomainList, filesOf, LIST_FORMATS, type SourceFiles, sourceOf } from './domain-list.ts'
import type { ListSize } from './load-lists.ts'
import { MAXIMUM_LIST_BYTES } from './read-list.ts'

export interface ListCopy extends ListSize {
  /** That of the list when it was copied: a list of the same name may have another file now. */
  readonly source: SourceFiles
  /** Of what the list had, as in `DomainList`. */
  readonly digest: string
  /** As `filesOf` has them. */
  readonly files: readonly CopiedFile[]
  /** For its memory, as in `ListTable`. */
  readonly hashes: number
  /** When the content came into force, in milliseconds since the epoch. */
  readonly acceptedAt: number
}

interface CopiedFile {
  /** SHA-256, base64url. */
  readonly digest: string
  readonly bytes: number
}

export interface ListCopies {
  /** Those that exist, by the list's name; none where they cannot be read. */
  find(): Promise<ReadonlyMap<string, ListCopy>>
  /** Of its files. */
  pathsOf(copy: ListCopy): readonly string[]
  /**
   * Copies what these lists, all of a policy in force, have from their files, and removes copies of others.
   * @returns a warning for each list whose earlier copy stays
   */
  save(lists: readonly DomainList[]): Promise<readonly string[]>
}

const INDEX = 'lists.json'
const UNFINISHED = '.unfinished-'
const MAXIMUM_INDEX_BYTES = 16 * 1024 * 1024
const READ_BYTES = 128 * 1024
const WRITE_BYTES = 1024 * 1024
/** Another engine may be about to name a file that no index names. */
const UNNAMED_MS = 60 * 60_000

const digest = z.string().regex(/^[\w-]{43}$/)
const count = z.int().nonnegative()

const index = z.array(
  z.object({
    name: z.string(),
    source: z.object({
      format: z.enum(LIST_FORMATS),
      path: z.string(),
      urls: z.string().optional(),
      member: z.string().optional(),
    }),
    digest,
    // A digest becomes the name of a file.
    files: z.array(z.object({ digest, bytes: count })).min(1),
    size: count,
    counts: z.object({ urls: count, exceptions: count.optional() }),
    hashes: count,
    acceptedAt: z.int(),
  }),
)

/** In the folder of the copy of the policy, next to it. */
export function listCopiesPath(...policy: Parameters<typeof policyCopyPath>): string {
  return `${policyCopyPath(...policy)}.lists`
}

/** @param clock milliseconds since the epoch */
export function createListCopies(folder: string, clock: () => number): ListCopies {
  const pathOf = ({ digest }: CopiedFile) => join(folder, digest)

  async function find(): Promise<ReadonlyMap<string, ListCopy>> {
    try {
      const path = join(folder, INDEX)
      if ((await stat(path)).size > MAXIMUM_INDEX_BYTES) return new Map()
      const entries = index.parse(JSON.parse(await readFile(path, 'utf8')))
      return new Map(entries.map(({ name, ...copy }) => [name, copy]))
    } catch {
      return new Map()
    }
  }

  async function isWhole(file: CopiedFile): Promise<boolean> {
    return (await stat(pathOf(file)).catch(() => undefined))?.size === file.bytes
  }

  /** Writes a file of the folder as a whole. */
  async function replace(name: string, write: (path: string) => Promise<void>): Promise<void> {
    const unfinished = join(folder, `${UNFINISHED}${randomUUID()}`)
    try {
      await write(unfinished)
      await rename(unfinished, join(folder, name))
    } finally {
      await rm(unfinished, { force: true })
    }
  }

  /** @returns its length @throws {Error} where the file no longer has the content that is in force */
  async function copyContent(path: string, digest: string): Promise<number> {
    let bytes = 0
    // Opening a named pipe would wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = await file.stat()
      if (!stats.isFile() || stats.size > MAXIMUM_LIST_BYTES) throw new Error(CHANGED)
      await replace(digest, async (unfinished) => {
        const hash = createHash('sha256')
        async function* hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
          for await (const chunk of chunks) {
            bytes += chunk.length
            hash.update(chunk)
            yield chunk
          }
        }
        const copy = await open(unfinished, NEW_SYNCED_FILE, 0o600)
        // A byte more than it had shows that it grew.
        const content = file.createReadStream({ highWaterMark: READ_BYTES, end: stats.size, autoClose: false })
        await pipeline(content, hashed, copy.createWriteStream({ highWaterMark: WRITE_BYTES }))
        if (hash.digest('base64url') !== digest) throw new Error(CHANGED)
      })
      return bytes
    } finally {
      await file.close()
    }
  }

  async function writeIndex(copies: ReadonlyMap<string, ListCopy>): Promise<void> {
    const entries = Array.from(copies, ([name, copy]) => ({ name, ...copy }))
    await replace(INDEX, async (path) => {
      const file = await open(path, NEW_SYNCED_FILE, 0o600)
      try {
        await file.writeFile(`${JSON.stringify(entries, null, 2)}\n`)
      } finally {
        await file.close()
      }
    })
  }

  async function removeUnnamed(copies: ReadonlyMap<string, ListCopy>): Promise<void> {
    const named = new Set([INDEX, ...filesIn(copies).map(({ digest }) => digest)])
    for (const name of await readdir(folder)) {
      if (named.has(name)) continue
      const path = join(folder, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats !== undefined && clock() - stats.mtimeMs > UNNAMED_MS) await rm(path, { force: true, recursive: true })
    }
  }

  async function save(lists: readonly DomainList[]): Promise<readonly string[]> {
    const now = clock()
    const before = await find()
    if (lists.length === 0 && before.size === 0) return []
    const after = new Map<string, ListCopy>()
    const warnings: string[] = []
    const warn = (list: Pick<DomainList, 'name'> | undefined, error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException
      const what = list === undefined ? 'the copies of lists' : `the copy of the list "${list.name}"`
      warnings.push(`cannot write ${what} to ${folder} (${code ?? message}): ${STAYS}`)
    }
    await makeFolder(folder, 0o700).catch((error: unknown) => warn(undefined, error))
    if (warnings.length > 0) return warnings
    for (const list of lists) {
      const earlier = before.get(list.name)
      if (list.fallback !== undefined) {
        if (earlier !== undefined) after.set(list.name, earlier)
        continue
      }
      const { format, path, member, digest, table } = list
      const source = { format, path, urls: list.urls, member }
      const isSame = earlier?.digest === digest && sourceOf(earlier.source) === sourceOf(source)
      const acceptedAt = isSame ? earlier.acceptedAt : now
      try {
        const files: CopiedFile[] = []
        for (const [at, digest] of list.fileDigests.entries()) {
          const same = [...filesIn(before), ...filesIn(after), ...files].find((file) => file.digest === digest)
          const isCopied = same !== undefined && (await isWhole(same))
          files.push({ digest, bytes: isCopied ? same.bytes : await copyContent(filesOf(list)[at] as string, digest) })
        }
        const { size, hashes } = table
        const { urls, exceptions } = table.counts
        const counts = { urls, exceptions }
        after.set(list.name, { source, digest, files, size, counts, hashes, acceptedAt })
      } catch (error) {
        if (earlier !== undefined) after.set(list.name, earlier)
        // A reload follows a change, and copies the new content.
        if ((error as Error).message !== CHANGED) warn(list, error)
      }
    }
    try {
      if (JSON.stringify([...before]) !== JSON.stringify([...after])) await writeIndex(after)
      await removeUnnamed(after)
    } catch (error) {
      warn(undefined, error)
    }
    return warnings
  }

  return { find, pathsOf: ({ files }) => files.map(pathOf), save }
}

function filesIn(copies: ReadonlyMap<string, ListCopy>): readonly CopiedFile[] {
  return [...copies.values()].flatMap(({ files }) => files)
}

const CHANGED = 'the file has changed'
const STAYS = 'a start without the file uses an earlier copy, or is refused'
