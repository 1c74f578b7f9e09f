// What is published as files, for the engine.
import { FILES } from './files.ts'
import type { Published } from './published.ts'

/** Contents by file name. A line ends with a line feed; a file without entries is empty. */
export function publishedFiles(published: Published): Readonly<Record<string, string>> {
  const entries = Object.keys(FILES).map((key) => fileOf(published, key as keyof Published))
  return Object.fromEntries(entries)
}

function fileOf<Key extends keyof Published>(published: Published, key: Key): readonly [string, string] {
  const { name, lines } = FILES[key]
  return [
    name,
    lines(published[key])
      .map((line) => `${line}\n`)
      .join(''),
  ]
}
