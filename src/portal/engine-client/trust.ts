// Whom the portal believes to be the engine: ENGINE_CA_FILE, or the published interception CA and the system's roots.
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

export interface TrustSources {
  /** ENGINE_CA_FILE: the only authorities then. */
  readonly caFile: string | undefined
  /** Where the interception CA is published; it may come, change and go. */
  readonly publishedCa: string | undefined
}

const MAXIMUM_FILE_BYTES = 1024 * 1024
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/**
 * Gives the TLS context for the next connection; the file is read again when it has changed, and one that cannot be read
 * is none.
 */
export function createEngineTrust({ caFile, publishedCa }: TrustSources): () => SecureContext {
  const file = caFile ?? publishedCa
  const roots = caFile === undefined ? systemRoots() : []
  let current = read()
  return () => {
    if (current.version !== fileVersion(file)) current = read()
    return current.context
  }

  function read() {
    const version = fileVersion(file)
    const authorities = version === undefined ? [] : readCertificates(file as string)
    return { version, context: createSecureContext({ ca: [...authorities, ...roots] }) }
  }
}

/** Changes whenever the file does, or who may read it; undefined where there is no regular file of sane size. */
function fileVersion(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  try {
    const stat = statSync(file, { bigint: true })
    if (!stat.isFile() || stat.size > MAXIMUM_FILE_BYTES) return undefined
    return [stat.dev, stat.ino, stat.size, stat.ctimeNs].join(' ')
  } catch {
    return undefined
  }
}

function readCertificates(file: string): string[] {
  let text: string
  try {
    text = readFileSync(file, 'latin1')
  } catch {
    return []
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
