// The authorities that may issue the engine's certificate: ENGINE_CA_FILE, or the published interception CA and the
// system's roots.
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

export interface TrustOptions {
  /** ENGINE_CA_FILE. If set, no other authorities are trusted. */
  readonly caFile: string | undefined
  /** Path of the published interception CA. It and its successor in the same folder may appear, change and disappear. */
  readonly publishedCa: string | undefined
}

const MAXIMUM_FILE_BYTES = 1024 * 1024
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/**
 * Returns the TLS context for the next connection. A file is read again when it has changed or reading it failed; a file
 * without read permission counts as missing.
 */
export function createEngineTrust({ caFile, publishedCa }: TrustOptions): () => SecureContext {
  const files = caFile === undefined ? publishedFiles(publishedCa) : [caFile]
  // Read lazily: the system's roots take a tenth of a second to read, and megabytes of memory.
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
    const isComplete = !found.includes(undefined)
    return {
      versions: isComplete ? versions : undefined,
      context: createSecureContext({ ca: [...authorities, ...roots] }),
    }
  }

  function fileVersions(): string {
    return files.map(fileVersion).join()
  }
}

/** The successor is trusted as soon as it is published, so that no request fails during the rollover. */
function publishedFiles(publishedCa: string | undefined): string[] {
  return publishedCa === undefined ? [] : [publishedCa, join(dirname(publishedCa), 'ca-next.crt')]
}

/** Changes with the file's content and permissions; undefined unless it is a regular file of reasonable size. */
function fileVersion(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true })
    if (!stat.isFile() || stat.size > MAXIMUM_FILE_BYTES) return undefined
    return [stat.dev, stat.ino, stat.size, stat.ctimeNs].join(' ')
  } catch {
    return undefined
  }
}

/** Undefined after a temporary error, such as too many open files. */
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
