// A person whose data is requested, and how rows name her: as she is, and by her pseudonyms with each key that still exists.
import { type PersonKind, type PseudonymKey, pseudonymOf } from '../journal/pseudonyms.ts'
import type { Client } from '../request/client.ts'

export type Person =
  /** In the form that rules compare. */
  { readonly user: string; readonly client?: undefined } | { readonly user?: undefined; readonly client: Client }

/** Values of one column of stops or events. */
export interface JournalNames {
  readonly column: 'user_name' | 'client'
  readonly values: readonly string[]
}

/** Of stopped requests, which name a client by its address. */
export function stopNames({ user, client }: Person, keys: readonly PseudonymKey[]): JournalNames {
  return user === undefined ? namesOf('client', [client.address], keys) : namesOf('user', [user], keys)
}

/** Of events, which may name a client's network. */
export function eventNames({ user, client }: Person, keys: readonly PseudonymKey[]): JournalNames {
  if (user !== undefined) return namesOf('user', [user], keys)
  return namesOf('client', [...new Set([client.address, client.network])], keys)
}

function namesOf(kind: PersonKind, plain: readonly string[], keys: readonly PseudonymKey[]): JournalNames {
  const pseudonyms = keys.flatMap((key) => plain.map((value) => pseudonymOf(key, kind, value)))
  return { column: kind === 'client' ? 'client' : 'user_name', values: [...plain, ...pseudonyms] }
}
