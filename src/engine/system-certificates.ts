// Whom outgoing connections of a job trust: the system's certificates, to which an organisation adds its own CA.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Without any, as in a small container, Node's own list stays in force. */
export function trustSystemCertificates(): void {
  const system = getCACertificates('system')
  if (system.length > 0) setDefaultCACertificates([...system, ...getCACertificates('extra')])
}
