// Debian's programs, and their configurations in this run's folder.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']

/** @returns the path of a program of this name */
export function findProgram(name: RegExp): string | undefined {
  for (const place of FOLDERS) {
    const found = existsSync(place) ? readdirSync(place).find((file) => name.test(file)) : undefined
    if (found !== undefined) return join(place, found)
  }
  return undefined
}

/** Replaces `${FOLDER}` and these names in a configuration. @returns its path in that folder */
export function fillIn(template: URL, folder: string, values: Readonly<Record<string, string>>): string {
  const path = join(folder, basename(template.pathname))
  const all: Readonly<Record<string, string>> = { FOLDER: folder, ...values }
  const text = readFileSync(template, 'utf8').replaceAll(/\$\{([A-Z]+)\}/g, (_, name: string) => all[name] as string)
  writeFileSync(path, text)
  return path
}
