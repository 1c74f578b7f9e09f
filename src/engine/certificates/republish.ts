// Publishes what is due: everything at the start, then every minute a renewal or the next CA.
import type { Logger } from 'pino'
import { type CertificateUser, type ControlCertificate, type PublishOptions, publishCertificates } from './publish.ts'

const INTERVAL_MS = 60_000

/** Publishes once; logs a problem of the proxy's CA when it appears. */
export type Publish = (control?: CertificateUser) => Promise<ControlCertificate>

export function createPublish(options: PublishOptions, log: Logger): Publish {
  let reported: string | undefined
  return async (control) => {
    const { controlCertificate, proxyCa } = await publishCertificates(options, control)
    const { isRenewed, problem } = proxyCa
    if (isRenewed)
      log.info(
        "renewed the proxy's CA: the shipped proxy reads bump/ca.pem again by itself; another Squid needs squid -k reconfigure",
      )
    if (problem !== undefined && problem !== reported) log.warn(problem)
    reported = problem
    return controlCertificate
  }
}

/** @returns a function that stops it */
export function startRepublishing(publish: Publish, control: CertificateUser, log: Logger): () => void {
  const interval = setInterval(() => {
    publish(control).catch((error: unknown) => {
      log.error({ err: error }, 'cannot publish certificates; the existing ones stay in use')
    })
  }, INTERVAL_MS)
  return () => clearInterval(interval)
}
