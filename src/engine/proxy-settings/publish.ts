// Publishes the proxy's settings next to its CA: at start and after each reload, and again every minute while that fails.
// Only a policy that was loaded replaces them: of several engines with one folder, one that has kept its policy knows less than
// the one that has published. Decisions never wait for it.
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { publishedFiles } from '../../published/write.ts'
import { writeFileAtomically } from '../files/atomic-file.ts'
import { ensureProxyFolder } from '../files/folders.ts'
import type { PolicyStore } from '../policy/reload/policy-store.ts'
import type { PortalIdentity } from '../portal-identity.ts'
import { publishedSettings } from './published.ts'
import type { RuledHosts } from './ruled-hosts.ts'

export interface SettingsPublisher {
  /**
   * Writes the files that differ from the policy in force; if the last load has kept it, only those that are missing. Never
   * rejects: failures are logged.
   */
  publish(): Promise<void>
  /** Resolves when nothing is being written. */
  stop(): Promise<void>
}

export interface SettingsPublisherOptions {
  /** In which `proxy/` is published. */
  readonly folder: string
  readonly portal: Pick<PortalIdentity, 'names'>
  readonly policies: Pick<PolicyStore, 'current' | 'last'>
  readonly ruledHosts: Pick<RuledHosts, 'every'>
  readonly log: Logger
  readonly intervalMs?: number
}

const INTERVAL_MS = 60_000
/** Nothing in it is secret. */
const MODE = 0o644

export function startSettingsPublisher(options: SettingsPublisherOptions): SettingsPublisher {
  const { portal, policies, ruledHosts, log, intervalMs = INTERVAL_MS } = options
  const folder = join(options.folder, 'proxy')
  let reported: string | undefined
  /** Whether a policy was loaded that has not been published. */
  let isOwed = false
  let running = Promise.resolve()

  async function publishNow(): Promise<void> {
    const replaces = isOwed
    isOwed = false
    const { problem, written } = await publishSettings(
      folder,
      publishedFiles(publishedSettings(policies.current, portal.names, ruledHosts)),
      replaces,
    )
    if (problem !== undefined) isOwed ||= replaces
    if (written.length > 0) log.info({ folder, files: written }, "published the proxy's settings")
    if (problem !== undefined && problem !== reported) log.error(problem)
    reported = problem
  }

  // One at a time: two writers of one file would interfere, and the last policy has to be the last one written.
  const enqueue = () => {
    running = running.then(publishNow)
    return running
  }
  // Only after a failure: engines with different policies and one folder would otherwise take turns.
  const interval = setInterval(() => reported !== undefined && void enqueue(), intervalMs).unref()
  return {
    publish() {
      isOwed ||= policies.last.result === 'loaded'
      return enqueue()
    },
    stop() {
      clearInterval(interval)
      return running
    },
  }
}

interface Publication {
  /** Names of files. */
  readonly written: readonly string[]
  /** What the operator should do, if anything. */
  readonly problem: string | undefined
}

/** Never throws. A file that already has its content stays: a folder that can only be read suffices then. */
async function publishSettings(
  folder: string,
  files: Readonly<Record<string, string>>,
  replaces: boolean,
): Promise<Publication> {
  const written: string[] = []
  let path = folder
  try {
    const { group } = await ensureProxyFolder(folder, 0o755)
    for (const [name, content] of Object.entries(files)) {
      path = join(folder, name)
      if (await isPublished(path, replaces ? content : undefined)) continue
      await writeFileAtomically(path, content, MODE, group)
      written.push(name)
    }
    return { written, problem: undefined }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const remedy = `the proxy keeps the settings that it has; remove what is in the way, and give the engine write access to the folder: install -d -m 755 -o ENGINE_USER ${folder}`
    return { written, problem: `cannot publish ${path} (${code ?? message}): ${remedy}` }
  }
}

/** Whether the path is a file that everybody can read, with this content; any content suffices if it is undefined. */
async function isPublished(path: string, content: string | undefined): Promise<boolean> {
  const file = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  // A link is not followed, and reading a pipe would block.
  if (!file?.isFile() || (file.mode & 0o777) !== MODE) return false
  if (content === undefined) return true
  if (file.size !== Buffer.byteLength(content)) return false
  return (await readFile(path, 'utf8')) === content
}
