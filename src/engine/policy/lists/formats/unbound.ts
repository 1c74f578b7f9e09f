// Unbound's configuration: `local-zone: "name" always_nxdomain`, and `local-data: "name A 0.0.0.0"`, which leads nowhere. The zone
// of the longest name counts, so that one of a type that does not stop its names is an exception.
import type { LineResult, ListEntries } from './entries.ts'
import { readName } from './name.ts'

const LINE = /^(?:server|local-data(?:-ptr)?|local-zone(?:-tag|-override)?|include|include-toplevel|define-tag):/
const ZONE = /^local-zone:\s*(["']?)([^"'\s]*)\1\s+(["']?)([a-z_]+)\3\s*(?:#.*)?$/d
const NOWHERE =
  /^local-data:\s*(["'])([^"'\s]+)\s+(?:[0-9]+\s+)?(?:in\s+)?(?:a\s+(?:0\.0\.0\.0|127\.0\.0\.1)|aaaa\s+::1?)\s*\1\s*(?:#.*)?$/di
const STOPPING =
  /^(?:always_(?:nxdomain|refuse|nodata|null|deny)|refuse|deny|static|redirect|inform_(?:deny|redirect)|block_a)$/
const PASSING = /^(?:always_transparent|transparent|typetransparent|inform)$/

/** @returns undefined for a line of another format */
export function readUnbound(bytes: Buffer, start: number, end: number, entries: ListEntries): LineResult | undefined {
  const text = bytes.toString('latin1', start, end)
  if (!LINE.test(text)) return undefined
  if (!text.startsWith('local-zone:')) {
    const [, , data] = NOWHERE.exec(text)?.indices ?? []
    if (data === undefined) return 'read'
    return readName(bytes, start + data[0], start + data[1], 'ignored', entries.addName) ? 'read' : 'malformed'
  }
  const zone = ZONE.exec(text)
  if (zone === null) return 'malformed'
  const [, , name = '', , type = ''] = zone
  const [from = 0, to = 0] = zone.indices?.[2] ?? []
  const isStopping = STOPPING.test(type)
  if (name === '.') return isStopping ? 'everything' : 'skipped'
  const read = (add: typeof entries.addName) => readName(bytes, start + from, start + to, 'read', add)
  if (isStopping) return read(entries.addName) ? 'read' : 'malformed'
  if (!PASSING.test(type)) return 'skipped'
  return read(entries.exceptItself) && read(entries.exceptBelow) ? 'read' : 'malformed'
}
