// What the operator may read, too: squid.conf and the error pages, in files of their own.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Templates {
  /** squid.conf. */
  readonly squid: string
  /** Error pages by name, with their frame, `page`. */
  readonly pages: Readonly<Record<string, string>>
}

/** The bundle has them next to its program. */
const SHIPPED = import.meta.filename.endsWith('.ts') ? '../../../deploy/proxy' : '.'

/** @param folder with the content of deploy/proxy; that of this program by default */
export function readTemplates(folder = fileURLToPath(new URL(SHIPPED, import.meta.url))): Templates {
  const pages = readdirSync(join(folder, 'errors')).map((file) => [
    file.replace(/\.html$/, ''),
    readFileSync(join(folder, 'errors', file), 'utf8'),
  ])
  return { squid: readFileSync(join(folder, 'squid.conf'), 'utf8'), pages: Object.fromEntries(pages) }
}
