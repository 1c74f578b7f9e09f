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

/** Gives the TLS context for the next connection; the file is read again when it has changed. */
export function createEngineTrust({ caFile, publishedCa }: TrustSources): () => SecureContext {
  const file = caFile ?? publishedCa
  let current: { fingerprint: string; context: SecureContext } | undefined
  return () => {
    const fingerprint = file === undefined ? '' : fileFingerprint(file)
    if (current?.fingerprint !== fingerprint) {
      const authorities = fingerprint === '' || file === undefined ? [] : readCertificates(file)
      const roots = caFile === undefined ? systemRoots() : []
      current = { fingerprint, context: createSecureContext({ ca: [...authorities, ...roots] }) }
    }
    return current.context
  }
}

/** Changes whenever the file does; empty where there is no regular file of sane size. */
function fileFingerprint(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
  if (!stat?.isFile() || stat.size > MAXIMUM_FILE_BYTES) return ''
  return [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(' ')
}

function readCertificates(file: string): string[] {
  return (readFileSync(file, 'latin1').match(CERTIFICATE) ?? []).filter((pem) => {
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
