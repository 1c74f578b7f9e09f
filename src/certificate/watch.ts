// The published interception CA as it is now. The files are read again every second, because a shared volume announces
// nothing, or announces it late; a file of two kilobytes costs less than being clever.
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type CaCertificate, parseCaCertificate, type Unusable } from './ca-certificate.ts'
import { readPublishedFile } from './published-file.ts'

/** One consistent view: whoever answers a request takes it once. */
export interface PublishedCa {
  readonly certificate: CaCertificate
  /** The certificate to come, which the gateway uses from its `notBefore` on. */
  readonly next: CaCertificate | undefined
}

/** From memory, as of the last look; undefined where there is nothing to offer. */
export type CurrentCa = () => PublishedCa | undefined

export type Found = CaCertificate | Unusable | 'missing'

export interface PublishedFiles {
  /** The CA's file; the certificate to come is `ca-next.crt` beside it. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Told what a file holds when that changes; before the first look both are missing. */
  readonly onChange?: (path: string, found: Found) => void
}

export interface PublishedCertificates {
  readonly current: CurrentCa
  /** Reads the files again; never throws. */
  look(): Promise<void>
}

const INTERVAL_MS = 1000
/** Somebody is writing the file, and will have finished by then. */
const PATIENCE_MS = 10_000

export function publishedCertificates(files: PublishedFiles): PublishedCertificates {
  const { path, clock } = files
  const published = watchedFile(path, files)
  const toCome = watchedFile(join(dirname(path), 'ca-next.crt'), files)
  let looking: Promise<unknown> = Promise.resolve()
  return {
    async look() {
      // One after the other: what was read first must not be taken for the newest.
      looking = looking.then(() => Promise.all([published.look(), toCome.look()]))
      await looking
    },
    current() {
      const now = clock()
      const certificate = published.certificate(now)
      if (certificate === undefined) return undefined
      const next = toCome.certificate(now)
      return { certificate, next: next?.sha256 === certificate.sha256 ? undefined : next }
    },
  }
}

/**
 * Looks now and then every second; has looked once when it resolves. Does not keep the process alive.
 * @returns what stops it
 */
export async function watch({ look }: PublishedCertificates, intervalMs = INTERVAL_MS): Promise<() => void> {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const lookAgain = async () => {
    await look()
    if (!isStopped) timer = setTimeout(lookAgain, intervalMs).unref()
  }
  await lookAgain()
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
    async look(): Promise<void> {
      let read = await readPublishedFile(path)
      if (isDeepStrictEqual(read, before)) return
      // One reading may give the beginning of one content and the end of another, which another CA's signature hides.
      if (!isDeepStrictEqual(read, await readPublishedFile(path))) read = { unusable: 'it changes while it is read' }
      before = read
      const wasUnusable = isUnusable(found)
      found = Buffer.isBuffer(read) ? parseCaCertificate(read) : read
      if (!isUnusable(found)) lastGood = found === 'missing' ? undefined : found
      else if (!wasUnusable) unusableSince = clock()
      onChange?.(path, found)
    },
    certificate(now: number): CaCertificate | undefined {
      if (lastGood === undefined || lastGood.notAfter <= now) return undefined
      return isUnusable(found) && now - unusableSince >= PATIENCE_MS ? undefined : lastGood
    },
  }
}

function isUnusable(found: Found): found is Unusable {
  return typeof found === 'object' && 'unusable' in found
}
