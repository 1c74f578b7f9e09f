// The certificate downloads: 404 unless a certificate is published.
import { type CertificateFormat, certificateDownload } from '../../certificate/downloads.ts'
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { parameterOf } from '../http/parameter.ts'
import type { Responses } from '../outcome/responses.ts'

export interface CertificateFileRouteDependencies {
  readonly responses: Responses
  readonly publishedCa: CurrentCa
  /** Named in the Apple configuration profile. */
  readonly organisation: string
}

/** `?which=next` downloads the next certificate. */
export function certificateFileRoute(format: CertificateFormat, dependencies: CertificateFileRouteDependencies) {
  const { responses, publishedCa, organisation } = dependencies
  return (exchange: Exchange): Handled => {
    const published = publishedCa()
    if (published === undefined) return plain(responses.outcomePage(exchange, { name: 'notFound' }))
    const which = parameterOf(exchange, 'which')
    if (which !== undefined && which !== 'next') return plain(responses.outcomePage(exchange, { name: 'malformed' }))
    const certificate = which === undefined ? published.certificate : published.next
    if (certificate === undefined) return plain(responses.outcomePage(exchange, { name: 'notFound' }))
    const file = certificateDownload(certificate, format, organisation)
    return plain(responses.certificateFile(file, exchange.headers['if-none-match']))
  }
}
