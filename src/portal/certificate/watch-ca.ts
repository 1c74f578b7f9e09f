// Watches the interception CA that visitors can install.
import type { Logger } from 'pino'
import { type CurrentCa, type Found, publishedCertificates, watch } from '../../certificate/watch.ts'
import type { Config } from '../settings/config.ts'

/** @param log for changes; without it nothing is logged */
export async function watchCa({ inspection, path }: Config['certificate'], log?: Logger): Promise<CurrentCa> {
  if (!inspection) return () => undefined
  const certificates = publishedCertificates({
    path,
    clock: Date.now,
    ...(log && { onChange: (path, found) => logFound(log, path, found) }),
  })
  await watch(certificates)
  if (certificates.current() === undefined) {
    log?.warn({ path }, 'no certificate is published yet: the certificate page does not exist')
  }
  return certificates.current
}

function logFound(log: Logger, path: string, found: Found): void {
  if (found === 'missing') log.info({ path }, 'the published certificate was removed')
  else if ('unusable' in found) log.warn({ path, reason: found.unusable }, 'the published certificate cannot be used')
  else log.info({ path, sha256: found.sha256, until: new Date(found.notAfter) }, 'a certificate is published')
}
