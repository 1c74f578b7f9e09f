// A group of users, listed in the policy, in a separate file, or in both.
import { parseUser } from './user.ts'

export interface Group {
  readonly name: string
  /** As `parseUser` returns them. */
  readonly users: ReadonlySet<string>
  readonly file: GroupFile | undefined
}

interface GroupFile {
  readonly path: string
  /** Where the policy names it, for problems. */
  readonly place: string
  /** The number of names in it, with their affixes: a reload that removes more of these loses nobody. */
  readonly size: number
}

export interface ReadUsers {
  readonly users: readonly string[]
  /** See `GroupFile`. */
  readonly size: number
  /** Names the lines that are wrong. */
  readonly faults: readonly string[]
}

/**
 * Reads one user per line; `#` at the beginning of a line makes it a comment.
 * @param affixes see `parseUser`
 */
export function parseUsers(text: string, affixes: readonly string[]): ReadUsers {
  const names = new Set<string>()
  const users: string[] = []
  const faults: string[] = []
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    const entry = line.trim()
    if (entry === '' || entry.startsWith('#')) return
    const name = parseUser(entry, [])
    const user = name && parseUser(name, affixes)
    if (name === undefined || user === undefined) {
      faults.push(`line ${index + 1}`)
      return
    }
    names.add(name)
    users.push(user)
  })
  return { users, size: names.size, faults }
}
