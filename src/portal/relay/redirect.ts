// The engine's 302, passed on unchanged: its own headers in order, byte for byte, and nothing of ours.

import type { HttpResponse } from '../http/handler.ts'
import { headerValues } from './engine-client/hop-by-hop.ts'
import type { EngineResponse } from './engine-client/response.ts'

export function relayedRedirect(response: Extract<EngineResponse, { kind: 'redirect' }>): HttpResponse {
  const { status, reasonPhrase, body } = response
  const headers = [...response.headers]
  if (headerValues(headers, 'content-length').length === 0) headers.push('Content-Length', String(body.length))
  return { status, reasonPhrase, headers, body }
}
