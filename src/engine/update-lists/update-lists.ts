// `engine update-lists LISTS.CONF FOLDER`: downloads lists of names for the engine, and replaces each one atomically.
// docs/policy.md, "Updating lists", describes it.
import { readFault, readStart } from '../../settings/file.ts'
import { misconfigured, parseJobArguments } from '../job-arguments.ts'
import { formatOf } from '../policy/file-format.ts'
import { trustSystemCertificates } from '../system-certificates.ts'
import { download } from './download.ts'
import { isArchiveName, replaceArchive, replaceList } from './new-list.ts'
import { parseSources, type Source } from './sources.ts'
import { unpack } from './unpack.ts'

const USAGE = 'Usage: engine update-lists LISTS.CONF FOLDER\n'
const MAXIMUM_SOURCES_BYTES = 1024 * 1024
const LIMITS = { totalMs: 15 * 60_000, idleMs: 60_000 }

/**
 * Prints a line for each list.
 * @param env may name a proxy: HTTPS_PROXY, NO_PROXY
 * @returns the exit status: 1 if a list could not be updated, whose previous file stays; 2 for wrong arguments or sources
 */
export async function updateLists(args: readonly string[], env: NodeJS.ProcessEnv): Promise<0 | 1 | 2> {
  const given = parseJobArguments(args, {})
  if (given === undefined) return misconfigured(USAGE)
  const { conf, folder } = given
  const { sources, reason } = readSources(conf)
  if (sources === undefined) return misconfigured(`${conf} ${reason}\n`)
  trustSystemCertificates()
  // So that an unfinished list is removed.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  let status: 0 | 1 = 0
  for (const source of sources) {
    try {
      process.stdout.write(`${source.name}: ${await update(source, folder, env)}\n`)
    } catch (error) {
      status = 1
      process.stderr.write(`${source.name}: ${messageOf(error)}\n`)
    }
  }
  return status
}

async function update({ name, url, problem }: Source, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (url === undefined) throw new Error(problem)
  const stop = new AbortController()
  try {
    const body = download(url, { ...LIMITS, env, stop })
    const isNew = isArchiveName(name)
      ? await replaceArchive(folder, name, body)
      : await replaceList(folder, name, await unpack(body))
    return isNew ? 'updated' : 'unchanged'
  } finally {
    stop.abort()
  }
}

/** @returns a reason that follows the path */
function readSources(path: string): { readonly sources?: readonly Source[]; readonly reason?: string } {
  try {
    const bytes = readStart(path, MAXIMUM_SOURCES_BYTES)
    if (bytes.length > MAXIMUM_SOURCES_BYTES) return { reason: 'must have at most 1 MiB; it has more' }
    const format = formatOf(bytes)
    return format === undefined
      ? { sources: parseSources(Buffer.from(bytes).toString()) }
      : { reason: `must have a file name and an https address a line; it is ${format}` }
  } catch (error) {
    return { reason: `must be a file that can be read; ${readFault(error)}` }
  }
}

/** Errors of the system and of OpenSSL have a code, and are not clear without it. */
function messageOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return message
  return `the update failed: ${message}${message.includes(code) ? '' : ` (${code})`}`
}
