// Builds the app from its dependencies: receives requests, finds their route, and reports how they ended.
import type { RelayLoad } from './acknowledgement/relay-limit.ts'
import type { Dependencies } from './dependencies.ts'
import type { Exchange } from './http/exchange.ts'
import { type Handled, plain } from './http/handler.ts'
import { guardRequest } from './http/request-guard.ts'
import { createPortalServer, type PortalServer, type ServerLoad } from './http/server.ts'
import { createRequestLog } from './monitoring/request-log.ts'
import { countRequest } from './monitoring/tally.ts'
import { createOverloadedResponse } from './outcome/overloaded.ts'
import { portalRoutes, type Route } from './routes.ts'
import { createServices, type Services } from './services.ts'

export interface Portal extends PortalServer {
  /** Current load, as plain numbers. */
  load(): ServerLoad & RelayLoad
}

/** @param moreRoutes additional routes, for the preview */
export function createApp(dependencies: Dependencies, moreRoutes?: (services: Services) => readonly Route[]): Portal {
  const services = createServices(dependencies)
  const { config, log, capacity, tally, relayLimit, respond, responses, visitors } = services
  const routes = new Map<string, Route>()
  for (const route of [...portalRoutes(services), ...(moreRoutes?.(services) ?? [])]) {
    routes.set(route.path, route)
    if (route.slash) routes.set(`${route.path}/`, route)
  }
  /** Any other path: untrusted text, so that logs and metrics have one name for all. */
  const otherRoute: Route = {
    path: 'other',
    methods: 'GET, HEAD',
    handle: (exchange) => plain(respond(exchange, { name: 'notFound' })),
  }
  const routeOf = ({ path }: Exchange) => routes.get(path) ?? otherRoute
  const logRequest = createRequestLog({ log, withDestination: config.records.logDestination })

  const server = createPortalServer({
    log,
    capacity,
    tally,
    isNeverShed: (exchange) => routeOf(exchange).neverShed === true,
    overloadedResponse: createOverloadedResponse(services),
    handle,
    handleError(exchange, error) {
      log.error({ err: error }, 'unexpected error')
      try {
        return plain(respond(exchange, { name: 'internal' }))
      } catch (error) {
        log.error({ err: error }, 'unexpected error in the error page')
        return plain(responses.empty(exchange, 500))
      }
    },
    requestEnded(ended) {
      const { path } = routeOf(ended.exchange)
      logRequest(ended, path)
      countRequest(tally, ended, path)
    },
  })
  return {
    ...server,
    close(graceEnds) {
      relayLimit.stopWaiting()
      return server.close(graceEnds)
    },
    load: () => ({ ...server.load(), ...relayLimit.load() }),
  }

  function handle(exchange: Exchange): Handled | Promise<Handled> {
    const refusal = guardRequest(exchange)
    if (refusal !== undefined) {
      const response = { ...responses.empty(exchange, refusal.status), isLast: true } as const
      return { response, event: { name: 'request', refusal: refusal.reason } }
    }
    visitors.warnOfForwarding(exchange)
    const { methods, overHttp, handle } = routeOf(exchange)
    const { secure, baseUrl } = config.publicAddress
    // The address begins with the base URL, never with anything from the request (protocol v1, section 4).
    if (secure && !overHttp && exchange.isPlainHttp) {
      return plain(responses.redirect(exchange, 308, baseUrl + exchange.target))
    }
    if (!isAllowed(exchange.method, methods)) {
      return plain(respond(exchange, { name: 'methodNotAllowed', allow: methods }))
    }
    return handle(exchange)
  }
}

function isAllowed(method: string, methods: Route['methods']): boolean {
  return methods === 'any' || method === 'GET' || (method === 'HEAD' && methods === 'GET, HEAD')
}
