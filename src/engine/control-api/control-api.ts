// The control API over HTTP: the decision call for connectors, the acknowledgement call for portals, and administration.
import type { IncomingMessage, RequestListener } from 'node:http'
import { ACKNOWLEDGEMENT_PATH } from '../../contract/acknowledgement.ts'
import { healthDocument } from '../../contract/engine-health.ts'
import type { Engine } from '../engine.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import { type Access, type AccessOptions, createAccess } from './access.ts'
import { acknowledgementCall } from './acknowledgement.ts'
import { administrationCalls } from './administration/administration.ts'
import type { Administration } from './administration/call.ts'
import { decisionCall } from './decision.ts'
import { type PresenceCallOptions, presenceCalls } from './presence.ts'
import { type ApiResponse, type Handle, json, problem } from './responses.ts'

export interface ControlApiOptions
  extends AccessOptions,
    Administration,
    Omit<PresenceCallOptions, 'state' | 'monitoring'> {
  readonly engine: Engine
  readonly monitoring: Monitoring
}

interface Route {
  readonly method: string
  readonly access: Access
  readonly handle: Handle
}

/** On a 302 these reach the browser. */
const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' }

/** Its log lines never contain `p`, a token, a code or a URL. */
export function createControlApi(options: ControlApiOptions): RequestListener {
  const { log, portal, audit, journal, presenceToken } = options
  const keyId = portal.keyring.sealing.kid
  const { refuseAddress, refuseToken } = createAccess(options)
  const presence = presenceCalls(options)
  const health = healthDocument(keyId, audit, journal?.settings)
  const routes = new Map<string, readonly Route[]>([
    ['/healthz', [{ method: 'GET', access: 'open', handle: () => json(health) }]],
    ['/api/decision', [{ method: 'POST', access: 'token', handle: decisionCall(options) }]],
    [ACKNOWLEDGEMENT_PATH, [{ method: 'GET', access: 'token', handle: acknowledgementCall(options) }]],
    ...Object.entries(administrationCalls(options)).map(([name, handle]): [string, Route[]] => [
      `/api/admin/${name}`,
      [{ method: 'POST', access: 'administration', handle }],
    ]),
  ])
  // Without its own token, the API token must not open it.
  if (presenceToken !== undefined) {
    routes.set('/api/presence', [
      { method: 'PUT', access: 'presence', handle: presence.put },
      { method: 'DELETE', access: 'presence', handle: presence.delete },
    ])
  }

  async function respond(request: IncomingMessage): Promise<ApiResponse> {
    const refused = refuseAddress(request)
    if (refused !== undefined) return refused
    const [path = ''] = (request.url ?? '').split('?', 1)
    const methods = routes.get(path)
    if (methods === undefined) return problem(404)
    const route = methods.find(({ method }) => method === request.method)
    if (route === undefined) {
      return problem(405, undefined, { headers: { allow: methods.map(({ method }) => method).join(', ') } })
    }
    try {
      return refuseToken(request, route.access, path) ?? (await route.handle(request))
    } catch (error) {
      if (request.destroyed && !request.complete) throw error
      // Only the stack: an error about a URL has the URL as a member.
      log.error({ stack: error instanceof Error ? error.stack : String(error) }, 'unexpected error')
      return problem(500)
    }
  }

  return (request, response) => {
    respond(request)
      .then(({ status, headers, body }) => {
        const length = Buffer.byteLength(body)
        response.writeHead(status, { ...ALWAYS, ...headers, 'content-length': length }).end(body)
      })
      // Only a broken connection gets here: no response is possible.
      .catch(() => response.destroy())
  }
}
