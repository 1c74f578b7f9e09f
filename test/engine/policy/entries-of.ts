// What a list makes of a few lines.

import { findEntry, hashHost, type ListFormat } from '../../../src/engine/policy/lists/domain-list.ts'
import { NameTable } from '../../../src/engine/policy/lists/name-table.ts'
import type { ReadList } from '../../../src/engine/policy/lists/read-list.ts'
import { suffixesOf } from '../../../src/network/host.ts'
import { readText } from './table-of.ts'

/** The entry that covers a host. */
export function entryFor(host: string, { table }: ReadList): string | undefined {
  const list = { name: 'list', path: '', format: 'auto', place: '', table: new NameTable(table) } as const
  const suffixes = suffixesOf(host)
  return findEntry(list, suffixes, hashHost(suffixes))
}

/** Those of the hosts that are entries, and the number of malformed lines. */
export function entriesOf(text: string, hosts: readonly string[], format: ListFormat = 'auto') {
  const list = readText(`${text}\n`, format)
  return { entries: hosts.filter((host) => entryFor(host, list) === host), invalid: list.invalid }
}
