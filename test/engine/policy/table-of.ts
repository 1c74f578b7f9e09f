// A table of names, built like that of a list's file.
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIST_KEY, type ListFormat } from '../../../src/engine/policy/lists/domain-list.ts'
import { DEFAULT_LISTS_MEMORY_MB } from '../../../src/engine/policy/lists/lists-memory.ts'
import { NameTable } from '../../../src/engine/policy/lists/name-table.ts'
import { type ReadList, readList } from '../../../src/engine/policy/lists/read-list.ts'

/** What lists may use by default. */
export const MEMORY = { megabytes: DEFAULT_LISTS_MEMORY_MB, namesInOthers: 0 }

const tables = new Map<string, NameTable>()

/** One table for the same names: it takes a folder, a file and a reading. */
export function tableOf(names: readonly string[]): NameTable {
  const text = names.join('\n')
  const table = tables.get(text) ?? new NameTable(readText(text).table)
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
