// Relays the engine's 302 unchanged: its headers in order, byte for byte, and none of the portal's.

import { headerValues } from '../engine-client/hop-by-hop.ts'
import type { EngineResponse } from '../engine-client/response.ts'
import type { HttpResponse } from '../http/handler.ts'

export function relayedRedirect(response: Extract<EngineResponse, { kind: 'redirect' }>): HttpResponse {
  const { status, reasonPhrase, body } = response
  const headers = [...response.headers]
  if (headerValues(headers, 'content-length').length === 0) headers.push('Content-Length', String(body.length))
  return { status, reasonPhrase, headers, body: [body] }
}
