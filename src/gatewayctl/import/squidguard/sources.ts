// Sources as conditions of rules.
import { parseAddresses } from './addresses.ts'
import type { Configuration, Source, TimeReference } from './configuration.ts'
import { attempt, readAddressText, readUsers } from './list-files.ts'
import { uniqueName } from './names.ts'
import type { Notes } from './notes.ts'

export interface SourceConditions {
  readonly clients?: readonly string[]
  readonly groups?: readonly string[]
}

export interface ReadSource {
  readonly name: string
  readonly time: TimeReference | undefined
  /** Each of them suffices; none, if it matches nobody. */
  readonly alternatives: readonly SourceConditions[]
  readonly isContinued: boolean
}

/** Of the policy's `[groups]`: the users of a source, under its name. */
export interface Group {
  readonly name: string
  readonly users: readonly string[]
}

export function readSources(
  { sources, ufdbguard }: Configuration,
  dbhome: string,
  notes: Notes,
): { readonly sources: readonly ReadSource[]; readonly groups: readonly Group[] } {
  const groups: Group[] = []
  const names = new Set<string>()
  const read = sources.map((source, index): ReadSource => {
    const { name, line, kinds, time, needsAll = ufdbguard === undefined } = source
    const conditions = new Map<string, SourceConditions | undefined>()
    if (kinds.has('clients')) conditions.set('clients', clientsOf(source, dbhome, notes))
    if (kinds.has('users')) {
      const users = usersOf(source, dbhome, notes)
      const group = users.length === 0 ? undefined : uniqueName(name, names)
      if (group !== undefined) groups.push({ name: group, users })
      conditions.set('users', group === undefined ? undefined : { groups: [group] })
    }
    if (kinds.has('others')) conditions.set('others', undefined)
    const alternatives = combine([...conditions.values()], needsAll)
    if (alternatives.length === 0) {
      notes.add(line, `${name}: matches nobody; what follows decides instead of its acl`)
    }
    // squidGuard asks no further after its last source.
    const isContinued = source.isContinued && index < sources.length - 1
    return { name, time, alternatives, isContinued }
  })
  return { sources: read, groups }
}

function combine(
  conditions: readonly (SourceConditions | undefined)[],
  needsAll: boolean,
): readonly SourceConditions[] {
  const known = conditions.filter((one) => one !== undefined)
  if (!needsAll) return known
  return known.length > 0 && known.length === conditions.length ? [Object.assign({}, ...known)] : []
}

function clientsOf(source: Source, dbhome: string, notes: Notes): SourceConditions | undefined {
  const clients = new Set(source.clients)
  for (const file of source.clientFiles) {
    const { ranges, faults } = parseAddresses(attempt(file, notes, dbhome, readAddressText) ?? '')
    for (const range of ranges) clients.add(range)
    for (const fault of faults) notes.add(file.line, `${file.name}: no client has the address ${fault}`)
  }
  return clients.size === 0 ? undefined : { clients: [...clients] }
}

function usersOf(source: Source, dbhome: string, notes: Notes): readonly string[] {
  const users = new Set<string>()
  const add = (line: number, names: readonly string[]) => {
    for (const name of names) {
      if (isUser(name)) users.add(name.toLowerCase())
      else notes.add(line, `user ${name}: not a name of the policy`)
    }
  }
  add(source.line, source.users)
  for (const file of source.userFiles) add(file.line, attempt(file, notes, dbhome, readUsers) ?? [])
  return [...users]
}

/** Whether the engine reads it as a user: not one that stands for nobody, such as `-`. */
function isUser(name: string): boolean {
  const account = name.replace(/^.*[\\/]/s, '').replace(/@.*$/s, '')
  return /[\p{L}\p{N}]/u.test(account) && !/^[(<[{]|[\p{Cc}\p{Cs}]/u.test(account) && Buffer.byteLength(name) <= 256
}
