// The engine's 302, passed on unchanged: its own headers in order, byte for byte, and nothing of ours.
import type { FastifyReply } from 'fastify'
import type { EngineAnswer } from '../engine-client/answer.ts'
import { headerValues } from '../engine-client/hop-by-hop.ts'

export function relayRedirect(reply: FastifyReply, answer: Extract<EngineAnswer, { kind: 'redirect' }>): FastifyReply {
  reply.hijack()
  const { raw } = reply
  // Node would add these by itself.
  raw.removeHeader('date')
  raw.removeHeader('connection')
  const headers = [...answer.headers]
  if (headerValues(headers, 'content-length').length === 0) headers.push('Content-Length', String(answer.body.length))
  raw.writeHead(answer.status, answer.reasonPhrase, headers)
  raw.end(answer.body)
  return reply
}
