// The certificate downloads: 404 unless a certificate is published.
import { type CertificateFormat, certificateDownload } from '../../certificate/downloads.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { parameterOf } from '../http/parameter.ts'
import type { Services } from '../services.ts'

/** `?which=next` downloads the next certificate. */
export function certificateFileRoute(format: CertificateFormat, services: Services) {
  const { responses, respond, publishedCa, site } = services
  const organisation = site.operator?.name ?? site.product
  return (exchange: Exchange): Handled => {
    const published = publishedCa()
    if (published === undefined) return plain(respond(exchange, { name: 'notFound' }))
    const which = parameterOf(exchange, 'which')
    if (which !== undefined && which !== 'next') return plain(respond(exchange, { name: 'malformed' }))
    const certificate = which === undefined ? published.certificate : published.next
    if (certificate === undefined) return plain(respond(exchange, { name: 'notFound' }))
    const { name, mediaType, bytes, etag } = certificateDownload(certificate, format, organisation)
    const known = exchange.headers['if-none-match']
    if (known !== undefined && isKnown(etag, known)) {
      return plain(responses.certificateFile(exchange, 304, [], ['etag', etag]))
    }
    const headers = [
      ...['etag', etag, 'content-type', mediaType],
      ...['content-disposition', `attachment; filename="${name}"`],
    ]
    return plain(responses.certificateFile(exchange, 200, [bytes], headers))
  }
}

/** RFC 9110, section 13.1.2: weak comparison with a list of tags. */
function isKnown(etag: string, known: string): boolean {
  return known.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}
