// Detects that files were changed or replaced: written in place, renamed into place, or behind a symbolic link that was
// switched, as Kubernetes does. Their state is compared every second; events of their folders only make that happen sooner,
// because some file systems report none.
import { type FSWatcher, realpathSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { readFingerprint } from '../../../settings/file-fingerprint.ts'

export interface FileWatch {
  /** The files to watch from now on, with the state in which they were read. */
  follow(fingerprints: ReadonlyMap<string, string>): void
  close(): void
}

const POLL_MS = 1000
const SETTLING_MS = 30

export interface FileWatchOptions {
  /** How long its state must be the same before a file counts as written, in milliseconds. */
  readonly settledMs: (path: string) => number
  /** Called with the files that differ from what was read, each time that they have changed. */
  readonly onSign: (paths: readonly string[]) => void
  /** Called when none of them is being written any more; again only after the next `follow`. */
  readonly onChange: () => void
}

export function watchFiles({ settledMs, onSign, onChange }: FileWatchOptions): FileWatch {
  let followed: ReadonlyMap<string, string> = new Map()
  let watchers: FSWatcher[] = []
  /** The files that differ from what was read: their states, and since when. */
  let seen: ReadonlyMap<string, { readonly state: string; readonly since: number }> = new Map()
  let isChecking = false
  let isReported = false
  let settling: NodeJS.Timeout | undefined

  /** The files that changed, and their states. */
  async function changes(): Promise<readonly (readonly [path: string, state: string])[]> {
    const all = await Promise.all(Array.from(followed, async ([path]) => [path, await readFingerprint(path)] as const))
    return all.filter(([path, state]) => state !== followed.get(path))
  }

  async function check(): Promise<void> {
    if (isReported) return
    // The check that is running may have passed the file that changed now.
    if (isChecking) return checkSoon()
    isChecking = true
    const before = followed
    const changed = await changes()
    isChecking = false
    if (before !== followed) return
    const now = performance.now()
    const previous = seen
    const isNew = ([path, state]: readonly [string, string]) => previous.get(path)?.state !== state
    if (changed.some(isNew)) onSign(changed.map(([path]) => path))
    seen = new Map(
      changed.map(([path, state]) => {
        const known = previous.get(path)
        return [path, known?.state === state ? known : { state, since: now }]
      }),
    )
    if (seen.size === 0) return
    // All of them: a policy and its lists may have changed together.
    if ([...seen].some(([path, { since }]) => now - since < settledMs(path))) return checkSoon()
    isReported = true
    onChange()
  }

  function checkSoon(): void {
    settling ??= setTimeout(() => {
      settling = undefined
      void check()
    }, SETTLING_MS).unref()
  }

  function openWatchers(): void {
    for (const watcher of watchers) watcher.close()
    watchers = [...new Set([...followed.keys()].flatMap(foldersOf))].flatMap((folder) => {
      try {
        const watcher = watch(folder, { persistent: false }, () => void check())
        // For example a folder that was removed: the polling continues.
        watcher.on('error', () => watcher.close())
        return [watcher]
      } catch {
        return []
      }
    })
  }

  const polling = setInterval(() => void check(), POLL_MS).unref()
  return {
    follow(fingerprints) {
      followed = new Map(fingerprints)
      seen = new Map()
      isReported = false
      openWatchers()
      // What changed since it was read caused no event.
      checkSoon()
    },
    close() {
      clearInterval(polling)
      clearTimeout(settling)
      isReported = true
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** The folder of a path, and that of the file that it links to. */
function foldersOf(path: string): readonly string[] {
  try {
    return [dirname(path), dirname(realpathSync(path))]
  } catch {
    return [dirname(path)]
  }
}
