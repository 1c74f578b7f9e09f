// Unpacks a backup into its staging folder. Anyone with the public key can make an archive, so it is hostile: it names only the
// expected folders and files, everything is below a folder that was created here, and there are neither devices nor links that
// lead away.
import { constants } from 'node:fs'
import { chmod, copyFile, lchown, mkdir, open, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ByteSource } from '../../archive/byte-source.ts'
import { type Member, tarMembers } from '../../archive/tar.ts'
import { unpackFile } from '../../archive/unpacked.ts'
import { Failure } from '../failure.ts'
import { fileFailure } from '../files/atomic-file.ts'
import { quoted } from '../terminal/printable.ts'
import { type Attributes, attributesOf, folderOf, isFileAlone } from './expected-paths.ts'
import { MANIFEST, type Manifest, parseManifest } from './manifest.ts'
import type { Owners, Staging } from './staging.ts'

export interface Unpacked {
  /** Undefined in an archive of a version before 2026.49. */
  readonly manifest: Manifest | undefined
  /** Those of the machine that it has, relative to /. */
  readonly folders: readonly string[]
  /** Those that are replaced alone, relative to /. */
  readonly files: readonly string[]
  /** Links that lead out of their folder, with their targets. */
  readonly leftOut: readonly string[]
}

const MAXIMUM_MEMBERS = 100_000
const MAXIMUM_MANIFEST_BYTES = 64 * 1024
const IMPLIED: Attributes = { mode: 0o755, user: 'root', group: 'root' }

type Kind = 'file' | 'folder' | 'implied folder' | 'link'

/**
 * @param name of the archive, in messages
 * @throws {Failure} for an archive that no backup of a gateway is @throws {Error} where it is damaged or cut
 */
export async function unpack(source: ByteSource, name: string, staging: Staging, owners: Owners): Promise<Unpacked> {
  const { source: unpacked, isArchive } = await unpackFile(source, Number.POSITIVE_INFINITY, '')
  if (!isArchive) throw new Error('it is no backup of a gateway')
  const seen = new Map<string, Kind>()
  const leftOut: string[] = []
  let manifest: Manifest | undefined
  let count = 0

  for await (const member of tarMembers(unpacked)) {
    if (++count > MAXIMUM_MEMBERS) throw refused(`it has more than ${MAXIMUM_MEMBERS} files`)
    if (member.name === MANIFEST && member.isFile) {
      manifest = parseManifest(await textOf(member))
      continue
    }
    const path = checkedPath(member.name)
    await createParents(path)
    await create(path, member)
  }
  // So that an archive that was cut after its last file is not accepted.
  for await (const _ of unpacked.rest());
  if (seen.size === 0) throw refused('it has no file of a gateway')
  const folders = [...seen].filter(([path, kind]) => folderOf(path) === path && kind.endsWith('folder'))
  const files = [...seen].filter(([path, kind]) => isFileAlone(path) && kind === 'file')
  return { manifest, folders: folders.map(([path]) => path), files: files.map(([path]) => path), leftOut }

  function refused(why: string): Failure {
    return new Failure(`${name} is refused: ${why}; nothing was changed`)
  }

  /** @throws {Failure} */
  function checkedPath(given: string): string {
    const path = given.replace(/\/$/, '')
    const isPlain = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
    if (!isPlain || folderOf(path) === undefined) throw refused(`it has ${quoted(given)}, which no backup has`)
    return path
  }

  /** Folders are created here alone, so no link is followed. */
  async function createParents(path: string): Promise<void> {
    const parent = dirname(path)
    if (folderOf(parent) === undefined || seen.get(parent)?.endsWith('folder')) return
    if (seen.has(parent)) throw refused(`it has ${quoted(path)} below a file or a link`)
    await createParents(parent)
    await createFolder(parent, IMPLIED)
    seen.set(parent, 'implied folder')
  }

  async function create(path: string, member: Member): Promise<void> {
    const isKnownFolder = member.kind === 'folder' && seen.get(path) === 'implied folder'
    if (seen.has(path) && !isKnownFolder) throw refused(`it has ${quoted(path)} twice`)
    if (isFileAlone(path)) await createFolderOfFile(path, member)
    if (member.kind === 'folder') {
      await createFolder(path, member)
      seen.set(path, 'folder')
    } else if (member.kind === 'file') {
      await createFile(path, member)
      seen.set(path, 'file')
    } else if (member.kind === 'hard link') {
      const target = checkedPath(member.linkTo ?? '')
      if (seen.get(target) !== 'file')
        throw refused(`${quoted(path)} is a link to ${quoted(target)}, which it does not have`)
      await createCopy(path, target, member)
      seen.set(path, 'file')
    } else if (member.kind === 'symbolic link') {
      if (staysInside(path, member.linkTo ?? '')) await createLink(path, member)
      else leftOut.push(`/${path} -> ${member.linkTo}`)
      seen.set(path, 'link')
    } else {
      throw refused(`${quoted(path)} is a device or another special file`)
    }
  }

  /** A folder that only the staging folder has: that of the machine has files of others. */
  async function createFolderOfFile(path: string, { kind }: Member): Promise<void> {
    if (kind === 'folder') throw refused(`it has ${quoted(path)} as a folder, which no backup has`)
    await orFailure(path, async () => {
      await mkdir(dirname(staging.pathOf(path)), { recursive: true })
    })
  }

  async function createFolder(path: string, given: Attributes): Promise<void> {
    await orFailure(path, async () => {
      await mkdir(staging.pathOf(path), { recursive: true })
      await give(path, given, true)
    })
  }

  async function createFile(path: string, member: Member): Promise<void> {
    await staging.reserve(0)
    await orFailure(path, async () => {
      const file = await open(staging.pathOf(path), 'wx', 0o600)
      try {
        await file.writeFile(reserved(member.content()))
        await file.sync()
      } finally {
        await file.close()
      }
      await give(path, member, false)
    })
  }

  async function* reserved(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of content) {
      await staging.reserve(chunk.length)
      yield chunk
    }
  }

  async function createCopy(path: string, target: string, member: Member): Promise<void> {
    await orFailure(path, async () => {
      await copyFile(staging.pathOf(target), staging.pathOf(path), constants.COPYFILE_EXCL)
      await give(path, member, false)
    })
  }

  async function createLink(path: string, member: Member): Promise<void> {
    await orFailure(path, async () => {
      await symlink(member.linkTo ?? '', staging.pathOf(path))
      await giveOwner(path, attributesOf(path, member, false))
    })
  }

  async function give(path: string, given: Attributes, isFolder: boolean): Promise<void> {
    const attributes = attributesOf(path, given, isFolder)
    await giveOwner(path, attributes)
    // After the owner, which clears the bit of a folder that gives its group.
    await chmod(staging.pathOf(path), attributes.mode)
  }

  async function giveOwner(path: string, { user, group }: Attributes): Promise<void> {
    await lchown(staging.pathOf(path), owners.users.get(user) ?? 0, owners.groups.get(group) ?? 0)
  }
}

async function textOf(member: Member): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of member.content()) {
    length += chunk.length
    if (length > MAXIMUM_MANIFEST_BYTES) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Whether it leads to a place in the same folder. Without `..`, no other link on the way changes that. */
function staysInside(path: string, target: string): boolean {
  if (target === '' || target.split('/').includes('..') || folderOf(path) === path) return false
  return !target.startsWith('/') || folderOf(target.slice(1)) === folderOf(path)
}

async function orFailure(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    // Others are faults of the archive, which is read meanwhile.
    throw code !== undefined && syscall !== undefined ? fileFailure(`/${path}`, 'unpacked', error as Error) : error
  }
}
