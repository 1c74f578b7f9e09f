// What is published, for programs that follow the engine. The folder is shared, so every line is checked.
import { join } from 'node:path'
import { readFault, readRegularFileStart } from '../settings/file.ts'
import { FILES, InvalidLine } from './files.ts'
import type { Published } from './published.ts'

/** The size of a file in bytes. */
const MAXIMUM_BYTES = 4_000_000

/** Settings, with the names of files that are missing; or why there are none, on one line. */
export type PublishedReading =
  | { readonly published: Published; readonly missing: readonly string[] }
  | { readonly reason: string }

/**
 * Reads `proxy/` in the folder that the engine publishes into. A missing file, which an older engine does not publish, has no
 * entries; then every host counts as ruled.
 */
export function readPublished(folder: string): PublishedReading {
  const missing: string[] = []
  function read<Key extends keyof Published>(key: Key): Published[Key] {
    const file = FILES[key]
    const path = join(folder, 'proxy', file.name)
    const lines = readLines(path)
    if (lines === undefined) {
      missing.push(file.name)
      return file.missing
    }
    try {
      return file.parse(lines)
    } catch (error) {
      if (!(error instanceof InvalidLine)) throw error
      const line = lines[error.index]?.slice(0, 80).replace(/[^ -~]/g, '?')
      throw new Unreadable(`${path}, line ${error.index + 1}: not valid: ${line}`)
    }
  }
  try {
    const published: Published = {
      portalNames: read('portalNames'),
      exemptHosts: read('exemptHosts'),
      exemptClients: read('exemptClients'),
      internal: read('internal'),
      safesearch: read('safesearch'),
      youtube: read('youtube'),
      tenants: read('tenants'),
      ruledHosts: read('ruledHosts'),
    }
    return { published, missing }
  } catch (error) {
    if (error instanceof Unreadable) return { reason: error.message }
    throw error
  }
}

class Unreadable extends Error {}

/** @returns undefined where there is no file @throws {Unreadable} */
function readLines(path: string): readonly string[] | undefined {
  let bytes: Uint8Array
  try {
    bytes = readRegularFileStart(path, MAXIMUM_BYTES)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Unreadable(`${path} cannot be read: ${readFault(error)}`)
  }
  if (bytes.length > MAXIMUM_BYTES) throw new Unreadable(`${path} is larger than ${MAXIMUM_BYTES} bytes`)
  return bytes.length === 0 ? [] : Buffer.from(bytes).toString().replace(/\n$/, '').split('\n')
}
