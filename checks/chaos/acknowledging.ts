// Acknowledgements over TLS, and their results counted by status.
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { ACK_TOKEN, claims, verdictQuery } from '../../test/support/payloads.ts'

export const HOST = 'portal.example'
/** Milliseconds without a byte of the response. */
const PATIENCE = 15_000

/** @returns the target of an acknowledgement of a new verdict */
export function acknowledgement(): string {
  const ts = Math.floor(Date.now() / 1000)
  return `/api/captive/ack?${verdictQuery(claims(ts, { kind: 'aup', ack_token: ACK_TOKEN }))}`
}

/** The status, or `unanswered`. */
export function get(options: RequestOptions): Promise<string> {
  return new Promise((resolve) => {
    const request = httpsRequest({ headers: { host: HOST }, timeout: PATIENCE, ...options }, (response) => {
      response.on('error', () => resolve('unanswered'))
      response.on('end', () => resolve(String(response.statusCode)))
      response.resume()
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve('unanswered'))
    request.end()
  })
}

export function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}
