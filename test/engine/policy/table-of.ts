// A table of names, built like that of a list's file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIST_KEY, type ListFormat } from '../../../src/engine/policy/lists/domain-list.ts'
import { NameTable } from '../../../src/engine/policy/lists/name-table.ts'
import { type ReadList, readList } from '../../../src/engine/policy/lists/read-list.ts'

export function tableOf(names: readonly string[]): NameTable {
  return new NameTable(readText(names.join('\n')).table)
}

export function readText(content: string | Uint8Array, format: ListFormat = 'auto'): ReadList {
  const folder = mkdtempSync(join(tmpdir(), 'list-'))
  try {
    const path = join(folder, 'list.txt')
    writeFileSync(path, content)
    return readList(path, format, LIST_KEY)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
