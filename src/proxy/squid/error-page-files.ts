// Squid's folder of error pages: ours, and Squid's other files, which explain certificate errors.
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorPages, type Look } from './error-pages.ts'
import type { Templates } from './templates.ts'

/**
 * @param folder is replaced
 * @param squidsOwn the folder of Squid's pages; it need not exist
 */
export function writeErrorPages(folder: string, squidsOwn: string, { pages }: Templates, look: Look): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  try {
    cpSync(squidsOwn, folder, { recursive: true })
  } catch {
    // Then Squid has its texts built in.
  }
  const page = (name: string) => pages[name] ?? ''
  const made = errorPages(page('page'), page, readdirSync(folder), look)
  for (const [name, content] of Object.entries(made)) writeFileSync(join(folder, name), content)
  // Started by root, Squid reads them as its own user.
  chmodSync(folder, 0o755)
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
}
