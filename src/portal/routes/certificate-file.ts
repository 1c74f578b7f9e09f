// The certificate's downloads. Without a certificate they do not exist.
import { type CertificateFormat, certificateDownload } from '../../certificate/downloads.ts'
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import type { Answers } from '../responses/responses.ts'

export interface CertificateFileRouteSources {
  readonly answers: Answers
  readonly publishedCa: CurrentCa
  /** Who is named in a profile. */
  readonly organisation: string
}

/** `?which=next` asks for the certificate to come. */
export function certificateFileRoute(format: CertificateFormat, sources: CertificateFileRouteSources) {
  const { answers, publishedCa, organisation } = sources
  return (exchange: Exchange): Handled => {
    const published = publishedCa()
    if (published === undefined) return plain(answers.outcomePage(exchange, { name: 'notFound' }))
    const { query, headers } = exchange
    if (query !== '' && query !== 'which=next') return plain(answers.outcomePage(exchange, { name: 'malformed' }))
    const certificate = query === '' ? published.certificate : published.next
    if (certificate === undefined) return plain(answers.outcomePage(exchange, { name: 'notFound' }))
    const file = certificateDownload(certificate, format, organisation)
    return plain(answers.certificateFile(file, headers['if-none-match']))
  }
}
