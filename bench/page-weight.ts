// What each page weighs on the wire, head and body as the portal sends them, in every language.
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { BenchEnvironment } from './environment.ts'
import { type BrowserRequest, navigations, requestBytes, visits } from './requests.ts'

export interface PageWeight {
  readonly name: string
  /** In bytes; the heaviest of the languages. */
  readonly head: number
  /** In bytes, one for each language. */
  readonly bodies: readonly number[]
  /** Whether one response of at most 14 KB is promised. */
  readonly isLimited: boolean
}

export const MOST_BYTES = 14 * 1024
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
      const answer = await answerOf(environment.portal.port, { target: request.target, headers })
      head = Math.max(head, answer.indexOf('\r\n\r\n') + 4)
      bodies.push(answer.length - (answer.indexOf('\r\n\r\n') + 4))
    }
    weights.push({ name, head, bodies, isLimited })
  }
  return weights
}

/** The bytes of one response, on a new connection. */
function answerOf(port: number, { target, headers }: BrowserRequest): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(requestBytes({ target, headers: { ...headers, Connection: 'close' } }))
  return buffer(socket)
}
