// The folders of published files: their modes, and the group of the proxy's folders, which the files in them have, too.
import { chmod, lchown, lstat, mkdir, readFile } from 'node:fs/promises'
import { KEEP_OWNER } from './atomic-file.ts'

/** The group of the proxy's user. */
const GROUP = 'gateway-bump'
const SETGID = 0o2000

/** Creates the folder where it is missing; an existing one keeps its mode. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode })
  // The umask may have removed bits.
  if (made !== undefined) await chmod(path, mode)
}

/**
 * Creates a folder of the proxy where it is missing, and gives it to the group `gateway-bump` if that exists; to no other
 * group, because the engine's group may be that of the terminator. A folder with the setgid bit keeps its group and mode: an
 * administrator chose them, and the system gives the group to every file.
 * @param mode for that group alone, or for everyone
 * @returns the folder's group, and what keeps it from being `gateway-bump`
 */
export async function ensureProxyFolder(
  path: string,
  mode: 0o750 | 0o755,
  groupsFile = '/etc/group',
): Promise<{ group: number; problem: string | undefined }> {
  await makeFolder(path, mode === 0o755 ? mode : 0o700)
  const folder = await lstat(path)
  if (!folder.isDirectory()) throw new Error(`${path} is not a folder`)
  const wanted = (folder.mode & SETGID) === 0 ? await findGroup(groupsFile) : undefined
  if (wanted === undefined) return { group: folder.gid, problem: undefined }
  try {
    if (wanted !== folder.gid) await lchown(path, KEEP_OWNER, wanted)
    if ((folder.mode & 0o777) !== mode) await chmod(path, mode)
    return { group: wanted, problem: undefined }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = `cannot give ${path} to the group ${GROUP} (${code}), so the proxy cannot read ca.pem; make the engine's user a member of that group, or create the folder with it: install -d -m 2750 -o ENGINE_USER -g ${GROUP} ${path}`
    return { group: folder.gid, problem }
  }
}

/** The group's number, from the system's file: Node has no call for it. */
async function findGroup(groupsFile: string): Promise<number | undefined> {
  const groups = await readFile(groupsFile, 'utf8').catch(() => '')
  const [, number] = new RegExp(`^${GROUP}:[^:]*:([0-9]+):`, 'm').exec(groups) ?? []
  return number === undefined ? undefined : Number(number)
}
