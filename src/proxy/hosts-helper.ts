// The helper that Squid runs: ruled-hosts.ts, in the bundle a file next to this one.
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROGRAM = new URL(`./ruled-hosts${extname(import.meta.url)}`, import.meta.url)

/** The program and its arguments. */
export const HOSTS_HELPER: readonly string[] = [process.execPath, fileURLToPath(PROGRAM)]
