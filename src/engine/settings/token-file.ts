// The key `token_file` of a section: a file with the token that its callers send.
import { dirname, resolve } from 'node:path'
import { type ReadFile, readSecretFile } from '../../settings/file.ts'
import { visibleAscii } from '../../settings/shapes.ts'
import type { TomlReading } from '../../settings/toml-file.ts'

export interface TokenSource {
  /** The path of the TOML file: paths in it are relative to its folder. */
  readonly path: string
  readonly readFile: ReadFile
  readonly reading: Pick<TomlReading, 'problem'>
}

const token = visibleAscii(16, 512)

/** A problem is recorded in the reading: the token is only valid without any. */
export function readToken(section: string, file: string, { path, readFile, reading }: TokenSource): string {
  const read = readSecretFile(resolve(dirname(path), file), readFile)
  const found = read.text === undefined ? undefined : token.safeParse(read.text)
  if (found?.success) return found.data
  reading.problem([section, 'token_file'], read.fault ?? 'must name a file with 16 to 512 visible ASCII characters')
  return ''
}
