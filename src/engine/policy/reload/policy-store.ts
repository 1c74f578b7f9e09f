// The policy in force. A reload reads everything next to it, then replaces it as a whole, or keeps it and names every problem.
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { type ReadFile, readRegularFile } from '../../../settings/file.ts'
import { ConfigProblems } from '../../../settings/problems.ts'
import type { PortalIdentity } from '../../portal-identity.ts'
import { acceptableOf } from '../expectations/acceptable.ts'
import { type Broken, brokenIn } from '../expectations/broken.ts'
import { warningsOf } from '../explain/warnings.ts'
import type { Group, GroupFile } from '../group.ts'
import type { DomainList, ListSource } from '../lists/domain-list.ts'
import { createListCopies } from '../lists/list-copies.ts'
import { createListLoader, type LoadedLists } from '../lists/list-loader.ts'
import type { Policy } from '../policy.ts'
import { type Draft, withDraft } from './draft.ts'
import { watchFiles } from './file-watch.ts'
import { acceptedLossesOf, type Extent, lossesOf } from './losses.ts'
import type { SaveCopy } from './policy-copy.ts'
import { readTracked, type TrackedReading } from './tracked-reading.ts'

export interface PolicyStore {
  /** Replaced as a whole by a reload: read it for every request. */
  readonly current: Policy
  /** How the last reload ended; at first, how the policy was loaded. */
  readonly last: ReloadResult
  /** Expectations that the policy in force does not meet: a start goes on with them, and no reload adds one. */
  readonly broken: readonly string[]
  /**
   * Reads what has changed. Concurrent calls share one reload that begins after they were made.
   * @param acceptLosses whether policy, lists and groups may lose half of what they have
   */
  reload(acceptLosses?: boolean): Promise<ReloadResult>
  /**
   * Reads another policy's file for `use`, without putting it in force; one at a time.
   * @param name of a file next to the policy's
   * @throws {ConfigProblems}
   */
  withDraft<T>(name: string, use: (draft: Draft) => Promise<T>): Promise<T>
  /**
   * Keeps a copy of the policy's file and of each list, now and after each reload that puts them in force. Resolves before the
   * lists are copied, which may take seconds.
   */
  saveCopies(save: SaveCopy): Promise<void>
  close(): Promise<void>
}

export interface ReloadResult {
  /** `kept` if none of the changes came into force. */
  readonly result: 'loaded' | 'kept'
  /** Why the policy, a list or the groups were kept. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** What a store begins with: the policy's file, or a copy. Reloads read the file. */
export interface StartingPolicy {
  /** Its fingerprints are those of the files to watch. */
  readonly reading: TrackedReading<LoadedSettings>
  /** The path of the policy's file. */
  readonly policyFile: string
  /** The folder with the last good copies of its lists; undefined where it is not known. */
  readonly listCopies: string | undefined
  /** Of the policy accepted last; undefined where none is known. */
  readonly accepted: Extent | undefined
  /** Why the file is not in force. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** The current content of the files and options. */
interface LoadedSettings {
  readonly portal: Pick<PortalIdentity, 'names'> | undefined
  /** Undefined where there are problems. */
  readonly buildPolicy: ((lists: readonly DomainList[]) => Policy) | undefined
  /** Those of the policy; also where there are problems. */
  readonly lists: readonly ListSource[]
  readonly groups: readonly Group[]
  readonly extent: Extent | undefined
  /** In megabytes. */
  readonly listsMemory: number
  readonly problems: readonly string[]
  readonly restartOnly: Readonly<Record<string, unknown>>
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
  readonly restartOnly: LoadedSettings['restartOnly']
  readonly lists: LoadedLists
  readonly policy: Policy
  readonly broken: readonly Broken[]
  readonly warnings: readonly string[]
  /** What the groups' files have, by path. */
  readonly groupContents: ReadonlyMap<string, Uint8Array>
  /** Why the groups were kept. */
  readonly groupProblems: readonly string[]
}

/** A copy takes longer, and a policy of which the beginning was read may open something. */
const POLICY_SETTLED_MS = 500
/** For the files that it names: their changes come into force within half a second. */
const SETTLED_MS = 25

/**
 * Reads the policy with its lists, and watches its files.
 * @throws {ConfigProblems} with every problem; a list that has no content is one here, unless it is optional
 */
export async function openPolicyStore(options: PolicyStoreOptions): Promise<PolicyStore> {
  const { load, start, log, clock, onReload } = options
  const copies = start.listCopies === undefined ? undefined : createListCopies(start.listCopies, clock)
  const loader = createListLoader({ copies, clock })
  /** The state in which each file was read. */
  let fingerprints: ReadonlyMap<string, string> = new Map()
  let logged: ReadonlySet<string> = new Set()
  let accepted = start.accepted
  let save: SaveCopy | undefined
  /** Lists are copied one reload after the other, while the engine decides. */
  let copying: Promise<void> = Promise.resolve()
  let copyWarnings: readonly string[] = []
  let isReloading = false
  /** What the policy in force breaks; undefined until there is one. */
  let broken: readonly Broken[] | undefined
  /** What is in force: the policy's file, and the groups' files by path. */
  let content: Uint8Array = new Uint8Array()
  let groupContents: Candidate['groupContents'] = new Map()

  async function read(
    reading: TrackedReading<LoadedSettings>,
    acceptLosses: boolean,
    needsLists: boolean,
  ): Promise<Candidate> {
    const { settings } = reading
    const found = new Map(reading.fingerprints)
    try {
      const losses = acceptLosses ? [] : lossesOf(accepted, settings.extent)
      const lists = await loader.load(settings.lists, settings.listsMemory, acceptLosses)
      for (const [path, fingerprint] of lists.fingerprints) found.set(path, fingerprint)
      const problems = [...settings.problems, ...reading.changes, ...losses, ...(needsLists ? lists.missing : [])]
      if (settings.buildPolicy === undefined || problems.length > 0) {
        const ofLists = [...(needsLists ? [] : lists.missing), ...lists.rejected]
        throw new ConfigProblems([...problems, ...ofLists])
      }
      const names = settings.portal?.names ?? []
      const asRead = { settings, buildPolicy: settings.buildPolicy, files: [] }
      const isBroken = (one: Policy) => newlyBroken(one, names)
      const acceptable = acceptableOf(lists, asRead, () => withKeptGroups(reading), isBroken)
      if (acceptable.broken.length > 0) {
        const { missing, rejected } = acceptable.lists
        throw new ConfigProblems([...textsOf(acceptable.broken), ...missing, ...rejected])
      }
      fingerprints = found
      const { policy, draft, avoided } = acceptable
      const { extent, restartOnly, groups } = draft.settings
      const ofPolicy = warningsOf(policy, names, clock())
      const lost = acceptedLossesOf(accepted, extent)
      return {
        ...{ content: reading.content ?? new Uint8Array(), extent, restartOnly, policy },
        lists: acceptable.lists,
        broken: brokenIn(policy, names),
        warnings: [...lost, ...draft.settings.warnings, ...acceptable.lists.warnings, ...ofPolicy],
        groupContents: contentsOf(groups, draft === asRead ? reading.contents : groupContents),
        groupProblems: draft === asRead || avoided === undefined ? [] : [keptGroups(draft.files, avoided)],
      }
    } catch (error) {
      loader.discard()
      // The files of the policy in force stay watched.
      fingerprints = new Map([...fingerprints, ...found])
      throw error
    }
  }

  /**
   * The settings with the groups in force, where their files have changed and the policy's has not. All groups stay, so that nobody
   * who moves from one to another is in neither. What an administrator writes is all or nothing: a new rule for a group may allow
   * what the old group must not have.
   */
  function withKeptGroups({ settings, path, content: policyFile, contents }: TrackedReading<LoadedSettings>) {
    const inForce = groupContents
    const files = settings.groups.flatMap(({ file }) => {
      const before = file && inForce.get(file.path)
      return file === undefined || before === undefined || isSame(before, contents.get(file.path)) ? [] : [file]
    })
    if (files.length === 0 || !isSame(content, policyFile)) return undefined
    const kept = load((name) => inForce.get(name) ?? contents.get(name) ?? readRegularFile(name), path)
    return kept.buildPolicy && { settings: kept, buildPolicy: kept.buildPolicy, files }
  }

  /** A start breaks nothing: it reports what is broken. */
  function newlyBroken(policy: Policy, portalNames: readonly string[]): readonly Broken[] {
    if (broken === undefined) return []
    const before = new Set(broken.map(({ key }) => key))
    return brokenIn(policy, portalNames).filter(({ key }) => !before.has(key))
  }

  const first = await read(start.reading, false, true)
  let current = first.policy
  ;({ content, extent: accepted, broken, groupContents } = first)
  const isKept = start.problems.length > 0
  let last: ReloadResult = {
    result: isKept ? 'kept' : 'loaded',
    problems: [...start.problems, ...first.lists.rejected],
    warnings: [...start.warnings, ...first.warnings, ...textsOf(first.broken)],
  }
  for (const warning of start.warnings) log.error(warning)
  if (isKept) {
    log.error(
      { problems: start.problems },
      `policy kept: the engine starts with ${start.reading.path}, the policy accepted last`,
    )
  }
  loader.accept(first.lists)
  logLoaded(first)

  async function reloadNow(acceptLosses: boolean): Promise<ReloadResult> {
    const reading = readTracked(load, start.policyFile)
    const { restartOnly, lists, policy, ...candidate } = await read(reading, acceptLosses, false)
    ;({ content, extent: accepted, broken, groupContents } = candidate)
    const { groupProblems } = candidate
    const problems = [...lists.missing, ...lists.rejected, ...groupProblems]
    const isUnchanged = problems.length > 0 && policy.revision === current.revision
    // In this order: the lists of the current policy must not be freed.
    current = policy
    loader.accept(lists)
    const needRestart = changedKeys(first.restartOnly, restartOnly).map(
      (key) => `${key} has changed: restart the engine`,
    )
    const warnings = [...candidate.warnings, ...needRestart]
    if (isUnchanged) log.error({ problems }, 'policy kept')
    else logLoaded({ lists, policy, broken, warnings, groupProblems })
    const all = [...warnings, ...textsOf(broken), ...(await saveContent())]
    return { result: isUnchanged ? 'kept' : 'loaded', problems, warnings: all }
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
    copyLists()
    return last
  }

  /** @returns a warning if it cannot */
  async function saveContent(): Promise<readonly string[]> {
    const warning = await save?.(content)
    if (warning === undefined) return []
    log.error(warning)
    return [warning]
  }

  function copyLists(): void {
    if (save === undefined || copies === undefined) return
    copying = copying.then(async () => {
      const warnings = await copies.save(current.lists)
      for (const warning of warnings) if (!copyWarnings.includes(warning)) log.error(warning)
      copyWarnings = warnings
    })
  }

  function logLoaded({ lists, policy, broken, warnings, groupProblems }: Loaded): void {
    // A warning that has been logged is not repeated with each update of a list.
    for (const warning of warnings) if (!logged.has(warning)) log.warn(warning)
    logged = new Set(warnings)
    if (broken.length > 0) log.error({ problems: textsOf(broken) }, 'expectations broken')
    for (const problem of lists.rejected) log.error({ problem }, 'list kept')
    for (const problem of lists.missing) log.error({ problem }, 'list missing')
    for (const problem of groupProblems) log.error({ problem }, 'groups kept')
    const names = Object.fromEntries(policy.lists.map(({ name, table }) => [name, table.size]))
    const counts = { rules: policy.rules.length, lists: names, groups: policy.groups.length }
    log.info({ ...counts, revision: policy.revision, milliseconds: lists.milliseconds }, 'policy loaded')
  }

  let running: Promise<ReloadResult> | undefined
  let next: Promise<ReloadResult> | undefined
  let nextAcceptsLosses = false
  /** Each may need as much memory as a reload. */
  let drafting: Promise<unknown> = Promise.resolve()
  const store: PolicyStore = {
    get current() {
      return current
    },
    get last() {
      return { ...last, warnings: [...last.warnings, ...copyWarnings] }
    },
    get broken() {
      return textsOf(broken ?? [])
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
    withDraft(name, use) {
      const options = {
        ...{ load, accepted, clock, path: join(dirname(start.policyFile), name) },
        inForce: () => ({ policy: current, broken: broken ?? [] }),
      }
      const result = drafting.then(() => withDraft(options, use))
      drafting = result.catch(() => {})
      return result
    },
    async saveCopies(saveIt) {
      save = saveIt
      copyLists()
      // It is in force itself, unless another engine has replaced it meanwhile.
      if (isKept) return
      const warnings = await saveContent()
      last = { ...last, warnings: [...last.warnings, ...warnings] }
    },
    async close() {
      watch.close()
      loader.close()
      await (next ?? running)
      await copying
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

type Loaded = Pick<Candidate, 'lists' | 'policy' | 'broken' | 'warnings' | 'groupProblems'>

/** Of the groups' files, by path. */
function contentsOf(groups: readonly Group[], contents: ReadonlyMap<string, Uint8Array>): typeof contents {
  return new Map(
    groups.flatMap(({ file }) => {
      const content = file && contents.get(file.path)
      return file === undefined || content === undefined ? [] : [[file.path, content] as const]
    }),
  )
}

function keptGroups(files: readonly GroupFile[], { text }: Broken): string {
  const named = files.map(({ place, path }) => `${place}: ${path}`).join(' and ')
  return `${named} must not break ${text}. Until that expectation is changed, groups stay as they were`
}

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.compare(one, other) === 0
}

function textsOf(broken: readonly Broken[]): readonly string[] {
  return broken.map(({ text }) => text)
}

function changedKeys(before: LoadedSettings['restartOnly'], now: LoadedSettings['restartOnly']): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], now[key]))
}
