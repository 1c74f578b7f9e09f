// For an engine with `role = "reader"`: another engine issues all certificates, because two issuers would have two
// interception CAs. A reader needs only the control API's certificate, and writes none.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { OrReason } from '../or-reason.ts'
import { coversName } from './leaf.ts'
import { type Pair, readPair } from './pair-file.ts'
import { type CertificateUser, type ControlCertificate, controlFile } from './publish.ts'

export interface ReaderOptions {
  /** The folder that the issuer publishes to. */
  readonly folder: string
  /** Names by which this engine is reached, which the certificate should have. */
  readonly controlNames: readonly string[]
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Shared folders report changes late or not at all, and reading two kilobytes is cheap. */
const INTERVAL_MS = 1000

/** Resolves when the issuer has published a certificate; logs each reason why it has to wait. */
export async function waitForIssuer(
  options: ReaderOptions,
  log: Logger,
  intervalMs = INTERVAL_MS,
): Promise<ControlCertificate> {
  for (let reported: string | undefined; ; await sleep(intervalMs)) {
    const found = await readControlLeaf(options)
    if (found.reason === undefined) {
      warnOfMissingNames(found, options, log)
      return found.pem
    }
    if (found.reason !== reported) log.warn(`waiting for the engine with certificates.role = "issuer": ${found.reason}`)
    reported = found.reason
  }
}

/** Follows the issuer's renewals. @returns a function that stops it */
export function followIssuer(
  options: ReaderOptions,
  control: CertificateUser,
  log: Logger,
  intervalMs = INTERVAL_MS,
): () => void {
  let reported: string | undefined
  const read = async () => {
    const found = await readControlLeaf(options)
    if (found.reason !== undefined && found.reason !== reported) {
      log.error(`${found.reason}; the present certificate stays in use`)
    }
    reported = found.reason
    if (found.reason !== undefined || found.pem.cert === control.certificate.cert) return
    control.useCertificate(found.pem)
    warnOfMissingNames(found, options, log)
    log.info("using the control API's renewed certificate")
  }
  const interval = setInterval(read, intervalMs)
  return () => clearInterval(interval)
}

async function readControlLeaf({ folder, clock }: ReaderOptions): Promise<OrReason<Pair>> {
  const path = controlFile(folder)
  const found = await readPair(path)
  if (found.reason !== undefined) return { reason: `${path} ${found.reason}` }
  const { validFromDate, validToDate } = found.certificate
  const isValid = validFromDate.getTime() <= clock() && clock() < validToDate.getTime()
  return isValid ? found : { reason: `${path} is not valid at this time` }
}

function warnOfMissingNames({ certificate }: Pair, { controlNames }: ReaderOptions, log: Logger): void {
  const missing = controlNames.filter((name) => !coversName(certificate, name))
  if (missing.length > 0)
    log.warn(`the issuer's certificate lacks ${missing.join(', ')}: add it to control.hostnames of the issuer`)
}
