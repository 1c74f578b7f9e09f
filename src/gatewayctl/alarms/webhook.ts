// One POST to a webhook. Its address is a secret: messages name the host alone.

import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Failure } from '../failure.ts'
import type { Message } from './message.ts'

interface WebhookOptions {
  readonly url: URL
  /** Sent as a bearer token. */
  readonly token: string | undefined
  /** CAs in PEM, instead of the system's. */
  readonly roots: string | undefined
}

const TOTAL_MS = 15_000

/** @returns the status. @throws {Failure} for everything but a success; redirects are not followed */
export async function postMessage(
  { json, text }: Message,
  { url, token, roots }: WebhookOptions,
  limitMs = TOTAL_MS,
): Promise<string> {
  // `text` is what chats show (Slack, Mattermost, Rocket.Chat).
  const body = JSON.stringify({ ...json, text })
  const isSecure = url.protocol === 'https:'
  const outgoing = (isSecure ? requestHttps : requestHttp)(url, {
    method: 'POST',
    headers: {
      'user-agent': 'gatewayctl alarms',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    agent: false,
    signal: AbortSignal.timeout(limitMs),
    ...(isSecure && { minVersion: 'TLSv1.2' as const, ...(roots !== undefined && { ca: roots }) }),
  })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  outgoing.end(body)
  try {
    const [response] = await answered
    // Nothing in its body matters.
    response.on('error', () => {}).destroy()
    const { statusCode: status = 0 } = response
    if (status < 200 || status > 299) throw new Failure(`${url.host} answers with ${status}`)
    return `${url.host} answers with ${status}`
  } catch (error) {
    if (error instanceof Failure) throw error
    const { name, code, message } = error as NodeJS.ErrnoException
    const why =
      name === 'AbortError' || name === 'TimeoutError' ? `no answer in ${limitMs / 1000} s` : (code ?? message)
    throw new Failure(`${url.host}: ${why}`)
  }
}
