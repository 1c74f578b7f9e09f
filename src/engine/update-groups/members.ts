// The users of a group and of the groups in it. Each entry is read on its own, by its distinguished name: so a directory cannot
// cut the result short without saying so, and the same code serves Active Directory and others.
import { AndFilter, type Client, type Entry, EqualityFilter, NoSuchObjectError, OrFilter } from 'ldapts'

export interface Members {
  readonly users: readonly string[]
  /** Members without a name: contacts, for example, and those whose entry has been deleted. */
  readonly nameless: number
}

export interface GroupSearch {
  readonly base: string
  /** Of a user's entry. */
  readonly attribute: string
}

const GROUP_CLASSES = ['group', 'groupofnames', 'groupofuniquenames', 'groupofmembers', 'posixgroup']
const MEMBER_ATTRIBUTES = ['member', 'uniqueMember']
/** How many entries are read at once. */
const READ_AT_ONCE = 32
const MAXIMUM_ENTRIES = 200_000

/**
 * @param group its name, or its distinguished name
 * @throws {Error} for a group that does not exist, and for what cannot be read
 */
export async function membersOf(client: Client, group: string, { base, attribute }: GroupSearch): Promise<Members> {
  const seen = new Set<string>()
  const users: string[] = []
  let nameless = 0
  const next = [/^[\w.-]+\s*=/.test(group) ? group : await findGroup(client, base, group)]
  for (let isRoot = true; next.length > 0; isRoot = false) {
    const batch = next.splice(0, READ_AT_ONCE)
    for (const entry of await Promise.all(batch.map((dn) => readEntry(client, dn, attribute)))) {
      if (entry === undefined) {
        if (isRoot) throw new Error('the directory has no such group')
        nameless++
        continue
      }
      const classes = valuesOf(entry, 'objectClass').map((name) => name.toLowerCase())
      const isGroup = GROUP_CLASSES.some((name) => classes.includes(name))
      if (isRoot && !isGroup) throw new Error('the entry is not a group')
      const names = isGroup
        ? valuesOf(entry, 'memberUid')
        : classes.includes('computer')
          ? []
          : valuesOf(entry, attribute)
      for (const name of names) users.push(name)
      if (!isGroup && names.length === 0) nameless++
      if (!isGroup) continue
      for (const dn of await readMembers(client, entry)) {
        // Two spellings of a name only cost a request.
        const key = dn.toLowerCase()
        if (seen.has(key)) continue
        if (seen.add(key).size > MAXIMUM_ENTRIES) throw new Error(`it has more than ${MAXIMUM_ENTRIES} members`)
        next.push(dn)
      }
    }
  }
  return { users, nameless }
}

async function findGroup(client: Client, base: string, name: string): Promise<string> {
  const equal = (attribute: string) => (value: string) => new EqualityFilter({ attribute, value })
  const filter = new AndFilter({
    filters: [
      new OrFilter({ filters: GROUP_CLASSES.map(equal('objectClass')) }),
      new OrFilter({ filters: [equal('cn')(name), equal('sAMAccountName')(name)] }),
    ],
  })
  const { searchEntries } = await client.search(base, { scope: 'sub', filter, attributes: ['1.1'], sizeLimit: 2 })
  const [found, another] = searchEntries
  if (found === undefined) throw new Error(`the directory has no such group below ${base}`)
  if (another !== undefined)
    throw new Error('the directory has several groups of this name: write its distinguished name')
  return found.dn
}

async function readEntry(client: Client, dn: string, attribute: string): Promise<Entry | undefined> {
  return await read(client, dn, ['objectClass', attribute, 'memberUid', ...MEMBER_ATTRIBUTES])
}

/** Active Directory returns at most 1,500 values at once, and says which: `member;range=0-1499`. */
async function readMembers(client: Client, entry: Entry): Promise<readonly string[]> {
  let members: readonly string[] = []
  for (const attribute of MEMBER_ATTRIBUTES) {
    members = members.concat(valuesOf(entry, attribute))
    for (let part = rangeOf(entry, attribute); part !== undefined; ) {
      members = members.concat(valuesOf(entry, part.key))
      if (part.last === '*') break
      const start = Number(part.last) + 1
      const more = await read(client, entry.dn, [`${attribute};range=${start}-*`])
      const following = more && rangeOf(more, attribute)
      if (more === undefined || following?.first !== start) throw new Error('the directory returned only some members')
      entry = more
      part = following
    }
  }
  return members
}

function rangeOf(entry: Entry, attribute: string): { key: string; first: number; last: string } | undefined {
  for (const key of Object.keys(entry)) {
    const [, name = '', first, last = ''] = /^(\w+);range=(\d+)-(\d+|\*)$/i.exec(key) ?? []
    if (name.toLowerCase() === attribute.toLowerCase()) return { key, first: Number(first), last }
  }
  return undefined
}

/** @throws {Error} for a reference to another server */
async function read(client: Client, dn: string, attributes: string[]): Promise<Entry | undefined> {
  try {
    const { searchEntries, searchReferences } = await client.search(dn, { scope: 'base', attributes })
    if (searchReferences.length > 0) throw new Error('the directory refers to another server')
    return searchEntries[0]
  } catch (error) {
    if (error instanceof NoSuchObjectError) return undefined
    throw error
  }
}

/** Names of attributes are compared in any case. */
function valuesOf(entry: Entry, attribute: string): readonly string[] {
  const key = Object.keys(entry).find((name) => name.toLowerCase() === attribute.toLowerCase())
  const values = key === undefined ? [] : [entry[key] ?? []].flat()
  return values.map((value) => value.toString())
}
