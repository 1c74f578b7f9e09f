// The published interception CA. The files are polled every second, because shared volumes report changes late or not at
// all, and reading two kilobytes is cheap.
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type CaCertificate, parseCaCertificate, type Unusable } from './ca-certificate.ts'
import { readPublishedFile } from './published-file.ts'

/** One consistent view: read it once per request. */
export interface PublishedCa {
  readonly certificate: CaCertificate
  /** The next certificate, which the gateway uses from its `notBefore` on. */
  readonly next: CaCertificate | undefined
}

/** From memory, as of the last refresh; undefined without a usable certificate. */
export type CurrentCa = () => PublishedCa | undefined

export type Found = CaCertificate | Unusable | 'missing'

export interface PublishedFiles {
  /** The CA's file; the next certificate is `ca-next.crt` in the same folder. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called when a file's content changes; before the first refresh both files count as missing. */
  readonly onChange?: (path: string, found: Found) => void
}

export interface PublishedCertificates {
  readonly current: CurrentCa
  /** Reads the files again; never throws. */
  refresh(): Promise<void>
}

const INTERVAL_MS = 1000
/** How long the last usable certificate stays while the file is unusable: it is probably being written. */
const GRACE_PERIOD_MS = 10_000

export function publishedCertificates(files: PublishedFiles): PublishedCertificates {
  const { path, clock } = files
  const published = watchedFile(path, files)
  const upcoming = watchedFile(join(dirname(path), 'ca-next.crt'), files)
  let refreshing: Promise<unknown> = Promise.resolve()
  return {
    async refresh() {
      // Sequential: an older read must not replace a newer one.
      refreshing = refreshing.then(() => Promise.all([published.refresh(), upcoming.refresh()]))
      await refreshing
    },
    current() {
      const now = clock()
      const certificate = published.certificate(now)
      if (certificate === undefined) return undefined
      const next = upcoming.certificate(now)
      return { certificate, next: next?.sha256 === certificate.sha256 ? undefined : next }
    },
  }
}

/**
 * Refreshes now and then every second; the first refresh is done when it resolves. Does not keep the process alive.
 * @returns a function that stops it
 */
export async function watch({ refresh }: PublishedCertificates, intervalMs = INTERVAL_MS): Promise<() => void> {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const refreshAgain = async () => {
    await refresh()
    if (!isStopped) timer = setTimeout(refreshAgain, intervalMs).unref()
  }
  await refreshAgain()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

function watchedFile(path: string, { clock, onChange }: PublishedFiles) {
  let before: Buffer | Unusable | 'missing' = 'missing'
  let found: Found = 'missing'
  let lastGood: CaCertificate | undefined
  let unusableSince = 0
  return {
    async refresh(): Promise<void> {
      let read = await readPublishedFile(path)
      if (isDeepStrictEqual(read, before)) return
      // A single read may mix two versions, and with a CA signed by another one no signature check would show it.
      if (!isDeepStrictEqual(read, await readPublishedFile(path))) read = { unusable: 'it changed while it was read' }
      before = read
      const wasUnusable = isUnusable(found)
      found = Buffer.isBuffer(read) ? parseCaCertificate(read) : read
      if (!isUnusable(found)) lastGood = found === 'missing' ? undefined : found
      else if (!wasUnusable) unusableSince = clock()
      onChange?.(path, found)
    },
    certificate(now: number): CaCertificate | undefined {
      if (lastGood === undefined || lastGood.notAfter <= now) return undefined
      return isUnusable(found) && now - unusableSince >= GRACE_PERIOD_MS ? undefined : lastGood
    },
  }
}

function isUnusable(found: Found): found is Unusable {
  return typeof found === 'object' && 'unusable' in found
}
