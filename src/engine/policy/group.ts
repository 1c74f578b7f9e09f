// A group of users, listed in the policy, in a separate file, or in both.
import { parseUser } from '../request/user.ts'

export interface Group {
  readonly name: string
  /** As `parseUser` returns them. */
  readonly users: ReadonlySet<string>
  readonly file: GroupFile | undefined
}

export interface GroupFile {
  readonly path: string
  /** Where the policy names it, for problems. */
  readonly place: string
  /** The number of names in it, with their affixes: a reload that removes more of these loses nobody. */
  readonly size: number
  /** See `acceptedLossFrom`. */
  readonly acceptsLossFrom: number | undefined
}

export interface ReadUsers {
  readonly users: readonly string[]
  /** See `GroupFile`. */
  readonly size: number
  /** Names the lines that are wrong. */
  readonly faults: readonly string[]
  /** Names the lines that are probably not one user, and why. */
  readonly doubts: readonly string[]
}

/** The first of these that has the user. */
export function groupOf<T extends Pick<Group, 'users'>>(groups: readonly T[], user: string | undefined): T | undefined {
  return user === undefined ? undefined : groups.find(({ users }) => users.has(user))
}

/** But for the names of guests in Microsoft Entra: `anna_gmail.com#EXT#@school.example`. */
const COMMENT = /(?<!#ext)#(?!ext#@).*/is
/** Of columns, in several languages; without spaces, `_` and `-`. */
const HEADINGS = new Set(
  (
    'user users username usernames name names login loginname logon logonname userlogonname account accountname accounts ' +
    'samaccountname userprincipalname upn uid id userid email mail emailaddress member members ' +
    'benutzer benutzername anmeldename utilisateur utilisateurs identifiant utente utenti nomeutente'
  ).split(' '),
)
/** What separates values, or surrounds them. */
const SEPARATORS: Readonly<Record<string, string>> = {
  ',': 'a comma',
  ';': 'a semicolon',
  ':': 'a colon',
  '|': 'a vertical bar',
  '"': 'a quotation mark',
}

/**
 * Reads one user per line; `#` begins a comment.
 * @param affixes see `parseUser`
 */
export function parseUsers(text: string, affixes: readonly string[]): ReadUsers {
  const names = new Set<string>()
  const users: string[] = []
  const faults: string[] = []
  const doubts: string[] = []
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    const entry = line.replace(COMMENT, '').trim()
    if (entry === '') return
    const name = parseUser(entry, [])
    const user = name && parseUser(name, affixes)
    const doubt = doubtAbout(line, entry, users.length === 0)
    if (doubt !== undefined) doubts.push(`line ${index + 1} ${doubt}`)
    if (name === undefined || user === undefined) {
      if (doubt === undefined) faults.push(`line ${index + 1}`)
      return
    }
    names.add(name)
    users.push(user)
  })
  return { users, size: names.size, faults, doubts }
}

/** What a line looks like that is probably not one user; no part of it, because the file may be a link to a secret. */
function doubtAbout(line: string, entry: string, isFirst: boolean): string | undefined {
  if (isFirst && HEADINGS.has(entry.toLowerCase().replace(/[\s_-]/g, ''))) return 'looks like a heading'
  if (/^([-=_*\s]+|\[.*\])$/.test(entry)) return 'looks like a heading'
  if (/^[-*\u2022]\s/.test(entry)) return 'looks like an item of a list'
  // A distinguished name has commas.
  const [separator] = (!/^[a-z]+=/i.test(entry) && /[,;:|"]|\s(--|\/\/)/.exec(entry)) || []
  if (separator !== undefined) return `has ${SEPARATORS[separator] ?? 'a comment that does not begin with #'}`
  return line.trimStart().startsWith(`${entry}#`) ? 'has a comment right after the name' : undefined
}
