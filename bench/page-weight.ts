// Measures the size of each page on the wire, head and body, in every language.
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { BenchEnvironment } from './environment.ts'
import { type BrowserRequest, navigations, requestBytes, visits } from './requests.ts'

export interface PageWeight {
  readonly name: string
  /** Bytes; the maximum of all languages. */
  readonly head: number
  /** Bytes, one value per language. */
  readonly bodies: readonly number[]
  /** Whether the response must not exceed 14 KB. */
  readonly isLimited: boolean
}

export const MAX_BYTES = 14 * 1024
const LANGUAGES = ['en', 'fr', 'de', 'it']

export async function weighPages(environment: BenchEnvironment): Promise<PageWeight[]> {
  const now = Math.floor(Date.now() / 1000)
  const first = (requests: readonly BrowserRequest[]) => requests[0] as BrowserRequest
  const pages = [
    { name: '`/blocked`', request: first(navigations('block', now, environment.key)), isLimited: true },
    { name: '`/warned` with a button', request: first(navigations('warn', now, environment.key)), isLimited: true },
    {
      name: '`/aup` with a policy of 20 KB',
      request: first(navigations('aup', now, environment.key)),
      isLimited: false,
    },
    { name: '`/privacy`', request: first(visits('/privacy')), isLimited: true },
    { name: '`/ca`', request: first(visits('/ca')), isLimited: false },
    { name: 'a refusal', request: first(visits('/blocked?p=x&v=1&ts=1800000000')), isLimited: true },
  ]
  const weights: PageWeight[] = []
  for (const { name, request, isLimited } of pages) {
    const bodies: number[] = []
    let head = 0
    for (const language of LANGUAGES) {
      const headers = { ...request.headers, 'Accept-Language': language }
      const response = await responseOf(environment.portal.port, { target: request.target, headers })
      head = Math.max(head, response.indexOf('\r\n\r\n') + 4)
      bodies.push(response.length - (response.indexOf('\r\n\r\n') + 4))
    }
    weights.push({ name, head, bodies, isLimited })
  }
  return weights
}

/** @returns the bytes of one response, on a new connection */
function responseOf(port: number, { target, headers }: BrowserRequest): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(requestBytes({ target, headers: { ...headers, Connection: 'close' } }))
  return buffer(socket)
}
