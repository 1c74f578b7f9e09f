// Lists of a few lines, read as those in files are, and what they make of them.
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  findEntry,
  findUrl,
  hashHost,
  LIST_KEY,
  type ListFormat,
} from '../../../src/engine/policy/lists/domain-list.ts'
import { type ListBuffers, ListTable } from '../../../src/engine/policy/lists/list-table.ts'
import { DEFAULT_LISTS_MEMORY_MB } from '../../../src/engine/policy/lists/lists-memory.ts'
import { type ReadList, readList } from '../../../src/engine/policy/lists/read-list.ts'
import { suffixesOf } from '../../../src/network/host.ts'
import { pathOf } from '../../../src/network/url-path.ts'

/** What lists may use by default. */
export const MEMORY = { megabytes: DEFAULT_LISTS_MEMORY_MB, namesInOthers: 0 }

const tables = new Map<string, ListTable>()

/** One table for the same names: it takes a folder, a file and a reading. */
export function tableOf(names: readonly string[]): ListTable {
  const text = names.join('\n')
  const table = tables.get(text) ?? new ListTable(readText(text))
  tables.set(text, table)
  return table
}

/** @param maximum the most names that it may have */
export function readText(
  content: string | readonly Uint8Array[],
  format: ListFormat = 'auto',
  maximum = 1_000_000,
): ReadList {
  const folder = mkdtempSync(join(tmpdir(), 'list-'))
  try {
    const path = join(folder, 'list.txt')
    for (const part of [content].flat()) appendFileSync(path, part)
    const reading = readList(path, format, LIST_KEY, maximum)
    assert.ok(reading.kind === 'list')
    return reading
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The entry that covers a host. */
export function entryFor(host: string, list: ListBuffers): string | undefined {
  const suffixes = suffixesOf(host)
  return findEntry({ table: new ListTable(list) }, suffixes, hashHost(suffixes))
}

/** The URL that covers a request, or that this depends on an ambiguous path. */
export function urlFor(url: string, list: ListBuffers, strict = false): string | undefined {
  const { hostname, pathname } = new URL(url)
  const target = /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] || pathname
  const suffixes = suffixesOf(hostname)
  const found = findUrl({ table: new ListTable(list) }, suffixes, hashHost(suffixes), () => pathOf(target), strict)
  return found === 'ambiguous' ? found : found?.url
}

/** Those of the hosts that are entries, and the number of malformed lines. */
export function entriesOf(text: string, hosts: readonly string[], format: ListFormat = 'auto') {
  const list = readText(`${text}\n`, format)
  return { entries: hosts.filter((host) => entryFor(host, list) === host), invalid: list.invalid }
}
