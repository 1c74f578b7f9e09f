// TLS with a PostgreSQL server: what `sslmode` promises, as options of Node.
import { readFileSync } from 'node:fs'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import type { PostgresServer } from '../settings/sections/postgres-url.ts'
import { DatabaseFault } from './fault.ts'

/** @throws {DatabaseFault} when a file cannot be read */
export function tlsOptions({ tls, rootCertificate, clientCertificate }: PostgresServer): ConnectionOptions | false {
  if (tls === 'none') return false
  return {
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise turn it off.
    rejectUnauthorized: tls !== 'unverified',
    ...(tls === 'authority' && { checkServerIdentity: () => undefined }),
    ...(tls !== 'unverified' && {
      ca: rootCertificate === undefined ? systemRoots() : read('sslrootcert', rootCertificate),
    }),
    ...(clientCertificate !== undefined && {
      cert: read('sslcert', clientCertificate.certificate),
      key: read('sslkey', clientCertificate.key),
    }),
  }
}

/** Node's, and those that the operator has installed. */
function systemRoots(): string[] {
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]
}

function read(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new DatabaseFault(
      `the file ${path} of ${parameter} in its URL cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}
