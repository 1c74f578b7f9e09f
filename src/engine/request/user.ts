// A user's name, in the one form that rules, groups, sessions and lockouts compare.

const MAXIMUM_BYTES = 256
/** What Unicode ignores by default, and what else directories drop before they compare names (RFC 4518, section 2.2). */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u1806\uFFFC]/gu

/** What proxies and directories put in place of a name: `(null)`, `<unknown>`; Windows' name for an empty one. */
const PLACEHOLDER = /^(?:[(<[{][^()<>[\]{}]*[)>\]}]|anonymous logon)$/

/** What `parseUser` reads, worded to follow "must be". */
export const USER_RULE =
  'a user name of 1 to 256 bytes without control characters, and not one that stands for nobody, such as "-"'

/** What a proxy reports: a user, or that it knows none. */
export interface ReportedUser {
  readonly user: string | undefined
}

/**
 * Reads a name as the proxy reports it. Directories accept it in any case, width and composition, and with characters that
 * nobody sees; as another user, "ALICE" would escape a rule about "alice", and be counted separately for lockouts. A name that
 * stands for nobody, such as `-`, would be a user whom all visitors share: what one of them accepts would be open to all.
 * Undefined when it has control characters, is longer than 256 bytes, or is empty.
 * @param affixes as `parseAffix` returns them; a prefix and a suffix at most are removed
 */
export function parseReportedUser(text: string, affixes: readonly string[]): ReportedUser | undefined {
  const folded = parseName(text)
  if (folded === undefined) return undefined
  if (isNobody(folded)) return { user: undefined }
  const prefix = affixes.find((affix) => !affix.startsWith('@') && folded.startsWith(affix)) ?? ''
  const rest = folded.slice(prefix.length)
  const suffix = affixes.find((affix) => affix.startsWith('@') && rest.endsWith(affix)) ?? ''
  return { user: rest.slice(0, rest.length - suffix.length).trim() }
}

/** Reads the name of a user; undefined also for one that stands for nobody. */
export function parseUser(text: string, affixes: readonly string[]): string | undefined {
  return parseReportedUser(text, affixes)?.user
}

/** Of a folded name: without domain and realm, nothing remains but punctuation, or a placeholder. */
function isNobody(name: string): boolean {
  const [account = ''] = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).split('@', 1)
  return !/[\p{L}\p{N}]/u.test(account) || PLACEHOLDER.test(account.trim())
}

/**
 * Reads a prefix such as `SCHOOL\` or `SCHOOL/`, or a suffix such as `@school.example`. It has one separator only, so that no
 * two prefixes or suffixes fit the same name.
 */
export function parseAffix(text: string): string | undefined {
  const affix = parseName(text)
  return affix !== undefined && /^([^@\\/]+[\\/]|@[^@\\/]+)$/.test(affix) ? affix : undefined
}

function parseName(text: string): string | undefined {
  if (isTooLong(text) || /[\p{Cc}\p{Cs}]/u.test(text)) return undefined
  const name = fold(text)
  return name === '' || isTooLong(name) ? undefined : name
}

/** Unicode's caseless compatibility match (section 3.13) without ignorable characters, and one space for white space. */
function fold(text: string): string {
  // Saves a microsecond of each request.
  if (/^[!-~]*$/.test(text)) return text.toLowerCase()
  const letters = foldCase(text.replace(IGNORED, '').normalize('NFKD'))
  return letters.normalize('NFKC').replace(/\s+/g, ' ').trim()
}

/** By way of the capitals: ß and ss have the same, and so have σ and ς. ı and i have, too, but are different letters. */
function foldCase(text: string): string {
  const lower = text.toLowerCase().replace(/[^ı]+/g, (part) => part.toUpperCase().toLowerCase())
  return lower.replaceAll('ς', 'σ')
}

function isTooLong(name: string): boolean {
  return Buffer.byteLength(name) > MAXIMUM_BYTES
}
