// A group's file, one user a line, as the policy reads it.
import { readRegularFile } from '../../settings/file.ts'
import { quoted } from '../../settings/shown.ts'
import { writeFileAtomically } from '../files/atomic-file.ts'
import { parseUsers } from '../policy/group.ts'
import { halfLost } from '../policy/reload/losses.ts'
import { parseUser } from '../request/user.ts'
import type { Members } from './members.ts'

const REMEDY = 'To accept it: --accept-losses, or remove the file'
const NAMED = 3

/**
 * Replaces the file.
 * @returns what to report
 * @throws {Error} with why it stays as it is
 */
export async function replaceGroupFile(path: string, members: Members, acceptsLosses: boolean): Promise<string> {
  const byUser = new Map<string, string>()
  const unusable: string[] = []
  for (const name of members.users) {
    const user = userOf(name)
    if (user === undefined) unusable.push(name)
    else byUser.set(user, name)
  }
  const nameless = members.nameless > 0 ? `; members without a name: ${members.nameless}` : ''
  const left = `${nameless}${unusable.length > 0 ? `; not usable in a group's file: ${shown(unusable)}` : ''}`
  if (byUser.size === 0) throw new Error(`the group has no users${left}`)
  const current = readCurrent(path)
  const before = current === undefined || acceptsLosses ? 0 : parseUsers(current, []).size
  const loss = halfLost('its users', byUser.size, before, REMEDY)
  if (loss !== undefined) throw new Error(`${loss}${left}`)
  const text = `${[...byUser.keys()]
    .sort()
    .map((user) => byUser.get(user))
    .join('\n')}\n`
  const done = text === current ? 'unchanged' : 'updated'
  if (text !== current) await writeFileAtomically(path, text, 0o644)
  return `${done}; users: ${byUser.size}${left}`
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
