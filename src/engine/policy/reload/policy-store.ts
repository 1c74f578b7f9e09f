// The policy in force. A reload reads everything next to it, then replaces it as a whole, or keeps it and names every problem.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { type ReadFile, readRegularFile } from '../../../settings/file.ts'
import { readFingerprintSync } from '../../../settings/file-fingerprint.ts'
import { ConfigProblems } from '../../../settings/problems.ts'
import { warningsOf } from '../explain/warnings.ts'
import type { Group } from '../group.ts'
import type { DomainList } from '../lists/domain-list.ts'
import { createListLoader, type LoadedLists } from '../lists/list-loader.ts'
import { MUST_NOT_CHANGE } from '../lists/load-lists.ts'
import type { Policy } from '../policy.ts'
import { watchFiles } from './file-watch.ts'
import { type Extent, lossesOf } from './losses.ts'
import type { KeepCopy, PolicyFile, StartingPolicy } from './policy-copy.ts'

export interface PolicyStore {
  /** Replaced as a whole by a reload: read it for every request. */
  readonly current: Policy
  /** How the last reload ended; at first, how the policy was loaded. */
  readonly last: ReloadResult
  /**
   * Reads what has changed. Concurrent calls share one reload that begins after they were made.
   * @param acceptLosses whether policy, lists and groups may lose half of what they have
   */
  reload(acceptLosses?: boolean): Promise<ReloadResult>
  /** Keeps a copy of the policy's file, now and after each reload that puts it in force. */
  keepCopy(keep: KeepCopy): Promise<void>
  close(): Promise<void>
}

export interface ReloadResult {
  /** `kept` if none of the changes came into force. */
  readonly result: 'loaded' | 'kept'
  /** Why the policy or a list was kept. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** The current content of the files and options. */
interface LoadedSettings {
  /** Undefined where there are problems. */
  readonly policy: Policy | undefined
  /** Those of the policy; also where there are problems. */
  readonly lists: readonly DomainList[]
  readonly groups: readonly Group[]
  readonly extent: Extent | undefined
  /** In megabytes. */
  readonly listsMemory: number
  readonly problems: readonly string[]
  readonly fixed: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

export interface PolicyStoreOptions {
  /** Reads the settings from the policy's file or a copy of it, all files with `readFile`. */
  readonly load: (readFile: ReadFile, path: string) => LoadedSettings
  readonly start: StartingPolicy
  readonly log: Logger
  /** Called after each reload: for metrics. */
  readonly onReload?: (result: ReloadResult) => void
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

interface Candidate {
  readonly content: Uint8Array
  readonly extent: Extent | undefined
  readonly fixed: LoadedSettings['fixed']
  readonly lists: LoadedLists
  readonly policy: Policy
  readonly warnings: readonly string[]
}

/** A copy takes longer, and a policy of which the beginning was read may open something. */
const POLICY_SETTLED_MS = 500
/** For the files that it names: their changes come into force within half a second. */
const SETTLED_MS = 25

/**
 * Reads the policy with its lists, and watches its files.
 * @throws {ConfigProblems} with every problem; a list that is rejected is one here
 */
export async function openPolicyStore(options: PolicyStoreOptions): Promise<PolicyStore> {
  const { load, start, log, clock, onReload } = options
  const loader = createListLoader()
  /** The state in which each file was read. */
  let fingerprints: ReadonlyMap<string, string> = new Map()
  let logged: ReadonlySet<string> = new Set()
  let accepted = start.accepted
  let keep: KeepCopy | undefined
  let isReloading = false

  /** @param from what is read; with its content, without reading it again */
  async function read(from: PolicyFile, acceptLosses: boolean): Promise<Candidate> {
    const found = new Map<string, string>()
    let { content = new Uint8Array() } = from
    try {
      const settings = load((path) => {
        if (path === from.path && from.content !== undefined) return from.content
        if (!found.has(path)) found.set(path, readFingerprintSync(path))
        const bytes = readRegularFile(path)
        if (path === from.path) content = bytes
        return bytes
      }, from.path)
      const changed = [...found].filter(([path, state]) => readFingerprintSync(path) !== state)
      const unusable = [
        ...settings.problems,
        ...changed.map(([path]) => `${path} ${MUST_NOT_CHANGE}`),
        ...(acceptLosses ? [] : lossesOf(accepted, settings.extent)),
      ]
      if (!found.has(start.policyFile)) found.set(start.policyFile, start.fingerprint)
      const lists = await loader.load(settings.lists, settings.listsMemory, acceptLosses)
      for (const [path, fingerprint] of lists.fingerprints) found.set(path, fingerprint)
      const problems = [...unusable, ...lists.missing]
      if (settings.policy === undefined || problems.length > 0)
        throw new ConfigProblems([...problems, ...lists.rejected])
      fingerprints = found
      const policy = withRevision(settings.policy, lists)
      const warnings = [...settings.warnings, ...lists.warnings, ...warningsOf(policy, clock())]
      const { extent, fixed } = settings
      return { content, extent, fixed, lists, policy, warnings }
    } catch (error) {
      loader.discard()
      // The files of the policy in force stay watched.
      fingerprints = new Map([...fingerprints, ...found])
      throw error
    }
  }

  const first = await read(start, false)
  const { baseUrl, portalNames, keyring } = first.policy
  let current = first.policy
  let { content } = first
  accepted = first.extent
  const isKept = start.problems.length > 0
  let last: ReloadResult = {
    result: isKept ? 'kept' : 'loaded',
    problems: start.problems,
    warnings: [...start.warnings, ...first.warnings],
  }
  for (const warning of start.warnings) log.error(warning)
  if (isKept) {
    log.error(
      { problems: start.problems },
      `policy kept: the engine starts with ${start.path}, the policy accepted last`,
    )
  }
  loader.accept(first.lists)
  logLoaded(first)

  async function reloadNow(acceptLosses: boolean): Promise<ReloadResult> {
    const { fixed, lists, policy, ...candidate } = await read(
      { path: start.policyFile, content: undefined },
      acceptLosses,
    )
    ;({ content, extent: accepted } = candidate)
    const problems = lists.rejected
    const isUnchanged = problems.length > 0 && policy.revision === current.revision
    // In this order: the lists of the current policy must not be freed.
    current = { ...policy, baseUrl, portalNames, keyring }
    loader.accept(lists)
    const needRestart = changedKeys(first.fixed, fixed).map((key) => `${key} has changed: restart the engine`)
    const warnings = [...candidate.warnings, ...needRestart]
    if (isUnchanged) log.error({ problems }, 'policy kept')
    else logLoaded({ lists, policy, warnings })
    return { result: isUnchanged ? 'kept' : 'loaded', problems, warnings: [...warnings, ...(await keepContent())] }
  }

  async function reload(acceptLosses: boolean): Promise<ReloadResult> {
    isReloading = true
    try {
      last = await reloadNow(acceptLosses)
    } catch (error) {
      const found = error instanceof ConfigProblems ? error.problems : [String(error)]
      log.error({ problems: found }, 'policy kept')
      last = { result: 'kept', problems: found, warnings: [] }
    }
    isReloading = false
    watch.follow(fingerprints)
    onReload?.(last)
    return last
  }

  /** @returns a warning if it cannot */
  async function keepContent(): Promise<readonly string[]> {
    const warning = await keep?.(content)
    if (warning === undefined) return []
    log.error(warning)
    return [warning]
  }

  function logLoaded({ lists, policy, warnings }: Pick<Candidate, 'lists' | 'policy' | 'warnings'>): void {
    // A warning that has been logged is not repeated with each update of a list.
    for (const warning of warnings) if (!logged.has(warning)) log.warn(warning)
    logged = new Set(warnings)
    for (const problem of lists.rejected) log.error({ problem }, 'list kept')
    const names = Object.fromEntries(policy.lists.map(({ name, table }) => [name, table?.size]))
    const counts = { rules: policy.rules.length, lists: names, groups: policy.groups.length }
    log.info({ ...counts, revision: policy.revision, milliseconds: lists.milliseconds }, 'policy loaded')
  }

  let running: Promise<ReloadResult> | undefined
  let next: Promise<ReloadResult> | undefined
  let nextAcceptsLosses = false
  const store: PolicyStore = {
    get current() {
      return current
    },
    get last() {
      return last
    },
    reload(acceptLosses = false) {
      nextAcceptsLosses ||= acceptLosses
      // A reload that is running may have read a file before it changed.
      next ??= (running ?? Promise.resolve()).then(() => {
        running = next
        next = undefined
        const accepts = nextAcceptsLosses
        nextAcceptsLosses = false
        return reload(accepts)
      })
      return next
    },
    async keepCopy(keepIt) {
      keep = keepIt
      // It is in force itself, unless another engine has replaced it meanwhile.
      if (isKept) return
      const warnings = await keepContent()
      last = { ...last, warnings: [...last.warnings, ...warnings] }
    },
    async close() {
      watch.close()
      loader.close()
      await (next ?? running)
    },
  }
  const watch = watchFiles({
    settledMs: (path) => (path === start.policyFile ? POLICY_SETTLED_MS : SETTLED_MS),
    onSign: loader.prepare,
    // The one that is running follows the files again when it ends.
    onChange: () => void (isReloading || store.reload()),
  })
  watch.follow(fingerprints)
  return store
}

/** The policy with the contents of its lists in its revision. */
function withRevision(policy: Policy, { states }: LoadedLists): Policy {
  const hash = createHash('sha256').update(policy.revision)
  for (const { name } of policy.lists) hash.update(`\n${name} ${states.get(name)?.digest}`)
  return { ...policy, revision: hash.digest('base64url').slice(0, 22) }
}

function changedKeys(before: LoadedSettings['fixed'], now: LoadedSettings['fixed']): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], now[key]))
}
