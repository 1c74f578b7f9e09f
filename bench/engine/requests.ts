// Requests for decisions: 10,000 different ones of each kind.
import { browserHeaders, REQUESTS, requestBytes } from '../requests.ts'
import { listedName, urlHost, urlPath } from './list.ts'

/** By the policy of `prepareEngine`: no rule matches, a list has the host or the URL, or the visitor may proceed. */
export type DecisionKind = 'allowed' | 'stopped' | 'warned' | 'by URL'

/** The JSON of a decision request. */
export interface DecisionBody {
  readonly url: string
  readonly client: string
}

/** @param listed the number of names in the engine's list, or of URLs */
export function decisionBodies(kind: DecisionKind, listed: number): DecisionBody[] {
  return Array.from({ length: REQUESTS }, (_, index) => ({
    url: `https://${placeOf(kind, index, listed)}/section-${index % 97}/page?id=${index}&from=mail`,
    client: `10.${kind.length}.${index >> 8}.${index & 255}`,
  }))
}

/** The name of a contender. */
export function icapName(kind: DecisionKind): string {
  return `${kind}, by ICAP`
}

/** The request's bytes on the wire. */
export function decisionBytes(body: DecisionBody, token: string): Buffer {
  const json = JSON.stringify(body)
  const headers = { Host: 'localhost', Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const lines = Object.entries({ ...headers, 'Content-Length': json.length }).map((pair) => `${pair.join(': ')}\r\n`)
  return Buffer.from(`POST /api/decision HTTP/1.1\r\n${lines.join('')}\r\n${json}`)
}

/** The visitor's request in an ICAP request, as Squid sends it. */
export function icapBytes({ url, client }: DecisionBody, index: number, token: string): Buffer {
  const visitors = requestBytes({ target: url, headers: browserHeaders(index, new URL(url).host) })
  const lines = [
    'REQMOD icap://127.0.0.1:1344/reqmod ICAP/1.0',
    'Host: 127.0.0.1:1344',
    'Date: Sun, 22 Nov 2026 12:00:00 GMT',
    `Encapsulated: req-hdr=0, null-body=${visitors.length}`,
    'Preview: 0',
    'Allow: 204, trailers',
    `X-Client-IP: ${client}`,
    `X-Engine-Token: ${token}`,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), visitors])
}

/** The host, with the beginning of the path for a URL. */
function placeOf(kind: DecisionKind, index: number, listed: number): string {
  const place = (index * 97) % listed
  if (kind === 'by URL') return `${urlHost(place)}${urlPath(place)}`
  if (kind === 'allowed') return `www.site-${index}.example`
  return kind === 'warned' ? 'www.news.example' : `cdn.${listedName(place)}`
}
