// The engine's 302, passed on unchanged: its own headers in order, byte for byte, and nothing of ours.

import type { HttpResponse } from '../http/handler.ts'
import { headerValues } from './engine-client/hop-by-hop.ts'
import type { EngineAnswer } from './engine-client/response.ts'

export function relayedRedirect(answer: Extract<EngineAnswer, { kind: 'redirect' }>): HttpResponse {
  const { status, reasonPhrase, body } = answer
  const headers = [...answer.headers]
  if (headerValues(headers, 'content-length').length === 0) headers.push('Content-Length', String(body.length))
  return { status, reasonPhrase, headers, body }
}
