// Whom the portal believes to be the engine: ENGINE_CA_FILE, or the published interception CA and the system's roots.
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

export interface TrustOptions {
  /** ENGINE_CA_FILE: the only authorities then. */
  readonly caFile: string | undefined
  /** Where the interception CA is published; it may come, change and go, and so may the one that follows beside it. */
  readonly publishedCa: string | undefined
}

const MAXIMUM_FILE_BYTES = 1024 * 1024
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/**
 * Gives the TLS context for the next connection; a file is read again when it has changed or could not be read just now,
 * and one that may not be read is none.
 */
export function createEngineTrust({ caFile, publishedCa }: TrustOptions): () => SecureContext {
  const files = caFile === undefined ? publishedFiles(publishedCa) : [caFile]
  // Not before the first question: the system's roots take a tenth of a second to read, and megabytes to keep.
  let roots: string[] | undefined
  let current: ReturnType<typeof read> | undefined
  return () => {
    if (current?.versions !== fileVersions()) current = read()
    return current.context
  }

  function read() {
    roots ??= caFile === undefined ? systemRoots() : []
    const versions = fileVersions()
    const found = files.map((file) => (fileVersion(file) === undefined ? [] : readCertificates(file)))
    const authorities = found.flatMap((some) => some ?? [])
    const isWhole = !found.includes(undefined)
    return {
      versions: isWhole ? versions : undefined,
      context: createSecureContext({ ca: [...authorities, ...roots] }),
    }
  }

  function fileVersions(): string {
    return files.map(fileVersion).join()
  }
}

/** The CA that follows is trusted as soon as it is there, so that no question fails while it comes into use. */
function publishedFiles(publishedCa: string | undefined): string[] {
  return publishedCa === undefined ? [] : [publishedCa, join(dirname(publishedCa), 'ca-next.crt')]
}

/** Changes whenever the file does, or who may read it; undefined where there is no regular file of sane size. */
function fileVersion(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true })
    if (!stat.isFile() || stat.size > MAXIMUM_FILE_BYTES) return undefined
    return [stat.dev, stat.ino, stat.size, stat.ctimeNs].join(' ')
  } catch {
    return undefined
  }
}

/** Undefined where another try may do better, though the file is the same: too many are open, say. */
function readCertificates(file: string): string[] | undefined {
  let text: string
  try {
    text = readFileSync(file, 'latin1')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? [] : undefined
  }
  return (text.match(CERTIFICATE) ?? []).filter((pem) => {
    try {
      return new X509Certificate(pem).ca
    } catch {
      return false
    }
  })
}

function systemRoots(): string[] {
  const roots = getCACertificates('system')
  // A slim container has no certificates of its own; Node's are the same public roots.
  return roots.length > 0 ? roots : getCACertificates('bundled')
}
