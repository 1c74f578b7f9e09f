// A group's file, one user a line, as the policy reads it.
import { rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { readRegularFile } from '../../settings/file.ts'
import { quoted } from '../../settings/shown.ts'
import { writeFileAtomically } from '../files/atomic-file.ts'
import { parseUsers } from '../policy/group.ts'
import { acceptanceLine, withoutAcceptance } from '../policy/reload/accepted-loss.ts'
import { halfLost } from '../policy/reload/losses.ts'
import { parseUser } from '../request/user.ts'
import type { Members } from './members.ts'

/** Ends the name of the file that would take the place of another, with the loss of half of its users. */
export const NEW_FILE = '.new'
const NAMED = 3

/**
 * Replaces the file, unless half of its users would be lost: then the new one is written next to it, for an administrator to
 * put in place.
 * @returns what to report
 * @throws {Error} with why it stays as it is
 */
export async function replaceGroupFile(path: string, members: Members): Promise<string> {
  const byUser = new Map<string, string>()
  const unusable: string[] = []
  for (const name of members.users) {
    const user = userOf(name)
    if (user === undefined) unusable.push(name)
    else byUser.set(user, name)
  }
  const nameless = members.nameless > 0 ? `; members without a name: ${members.nameless}` : ''
  const left = `${nameless}${unusable.length > 0 ? `; not usable in a group's file: ${shown(unusable)}` : ''}`
  // What was refused an hour ago is no longer what the directory says.
  await rm(path + NEW_FILE, { force: true })
  if (byUser.size === 0) throw new Error(`the group has no users${left}`)
  const current = readCurrent(path)
  const text = `${[...byUser.keys()]
    .sort()
    .map((user) => byUser.get(user))
    .join('\n')}\n`
  const before = current === undefined ? 0 : parseUsers(current, []).size
  const loss = halfLost('its users', byUser.size, before, remedyFor(path))
  if (loss !== undefined) {
    await writeFileAtomically(path + NEW_FILE, acceptanceLine(before, byUser.size) + text, 0o644)
    throw new Error(`${loss}${left}`)
  }
  const isSame = current !== undefined && withoutAcceptance(current) === text
  if (!isSame) await writeFileAtomically(path, text, 0o644)
  const done = isSame ? 'unchanged' : 'updated'
  return `${done}; users: ${byUser.size}${left}`
}

/** With `-T`, which root can use in another user's folder: `mv` would follow a link to a folder. */
function remedyFor(path: string): string {
  const name = basename(path)
  return `To accept it: cd ${dirname(path)} && mv -T ${name}${NEW_FILE} ${name}`
}

/** Undefined for a name that the policy would not read from its line as it is, such as one with `#`. */
function userOf(name: string): string | undefined {
  const { users, faults } = parseUsers(name, [])
  const user = parseUser(name, [])
  return users.length === 1 && users[0] === user && faults.length === 0 && !name.includes('\ufffd') ? user : undefined
}

function shown(names: readonly string[]): string {
  return names.slice(0, NAMED).map(quoted).join(', ') + (names.length > NAMED ? ', …' : '')
}

function readCurrent(path: string): string | undefined {
  try {
    return Buffer.from(readRegularFile(path)).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
