// Builds the app from its dependencies. All routes are in one list.
import { redeem } from '../contract/verdict-url.ts'
import { createRelayLimit, type RelayLoad } from './acknowledgement/concurrency-limit.ts'
import { createRecordAcceptance } from './acknowledgement/record-acceptance.ts'
import { acknowledgementResponse, acknowledgeRoute } from './acknowledgement/route.ts'
import { certificateFileRoute } from './certificate/file-route.ts'
import { certificateRoute } from './certificate/route.ts'
import type { Dependencies } from './dependencies.ts'
import type { Exchange } from './http/exchange.ts'
import { type Handled, type Handler, plain } from './http/handler.ts'
import { isPlainHttp, secureLocation, withoutOpenerPolicy } from './http/https-redirect.ts'
import { guardRequest } from './http/request-guard.ts'
import { buildHeaders } from './http/response-headers.ts'
import { createPortalServer, type PortalServer, type ServerLoad } from './http/server.ts'
import { healthRoute } from './monitoring/health-route.ts'
import { createRequestLog } from './monitoring/request-log.ts'
import { countRequest, createTally } from './monitoring/tally.ts'
import { createOverloadedResponses } from './outcome/overloaded.ts'
import { createResponses, type Outcome, type Responses } from './outcome/responses.ts'
import { buildAssets } from './page/assets.ts'
import { buildSite } from './page/site.ts'
import { privacyAdditions } from './privacy/page.ts'
import { privacyRoute } from './privacy/route.ts'
import { createVerdictPages } from './verdict/page-cache.ts'
import { verdictRoute } from './verdict/route.ts'
import { createVisitorAddresses } from './visitor/client-address.ts'
import { localeRoute } from './visitor/locale-route.ts'
import { createSessions } from './visitor/session.ts'
import { createVisitResolver, type ResolveVisit } from './visitor/visit.ts'

/** Handlers by path, which is matched byte for byte. */
export type Routes = Readonly<Record<string, Handler>>

/** The dependencies of additional routes. */
export interface RouteDependencies {
  readonly responses: Responses
  readonly resolveVisit: ResolveVisit
}

export interface Portal extends PortalServer {
  /** Current load, as plain numbers. */
  load(): ServerLoad & RelayLoad
}

const ACKNOWLEDGEMENT_PATH = '/api/captive/ack'

/** @param moreRoutes additional routes, for the preview */
export function createApp(
  dependencies: Dependencies,
  moreRoutes?: (dependencies: RouteDependencies) => Routes,
): Portal {
  const { config, clock, ledger, documents, sendAcknowledgement, publishedCa, log, capacity } = dependencies
  const tally = dependencies.tally ?? createTally()
  const { locales, release } = config
  const { secure, baseUrl } = config.publicAddress
  const assets = buildAssets(config.brand.palette, {
    policy: config.policy.enabled,
    logo: config.brand.logo !== undefined,
  })
  const headers = buildHeaders({ versionLabel: release.label, secure, baseUrl, ...assets })
  const sessions = createSessions({ secure, locales, secrets: config.session.secrets })
  const site = buildSite(config, assets, dependencies.isPreview ?? false)
  const resolveVisit = createVisitResolver({ site, sessions, locales, clock, publishedCa })
  const responses = createResponses(headers, assets.noticeStyle, resolveVisit)
  const { keyring, maxAgeSeconds } = config.payload
  const redeemVerdict = (query: string) => redeem(query, keyring, { now: clock(), maxAgeSeconds })
  const visitors = createVisitorAddresses(config.trustedProxies, log)
  const recordAcceptance = createRecordAcceptance({ ledger, config, documents, resolveVisit, log })
  const relayLimit = createRelayLimit(capacity, tally.shed)
  const policyVersion = config.policy.version
  const renderVerdict = createVerdictPages(site, documents)
  const verdicts = { responses, resolveVisit, redeem: redeemVerdict, sessions, documents, renderVerdict, policyVersion }
  const certificates = { responses, publishedCa, organisation: site.operator?.name ?? site.product }
  const { clientAddress: recordsClientAddress, logDestination: logsDestination } = config.records
  const additions = dependencies.privacyTexts && privacyAdditions(dependencies.privacyTexts)
  const notice = { recordsClientAddress, logsDestination, additions }

  const routes: Routes = {
    '/blocked': verdictRoute('block', verdicts),
    '/warned': verdictRoute('warn', verdicts),
    '/aup': verdictRoute('aup', verdicts),
    ...(sendAcknowledgement && {
      [ACKNOWLEDGEMENT_PATH]: acknowledgeRoute({
        responses,
        redeem: redeemVerdict,
        sendAcknowledgement,
        recordAcceptance,
        visitors,
        relayLimit,
      }),
    }),
    '/ca': certificateRoute({ responses, resolveVisit, publishedCa, config, clock }),
    '/ca.crt': certificateFileRoute('crt', certificates),
    '/ca.cer': certificateFileRoute('cer', certificates),
    '/ca.mobileconfig': certificateFileRoute('mobileconfig', certificates),
    '/locale': localeRoute({ responses, sessions, locales }),
    '/privacy': privacyRoute({ responses, resolveVisit, locales, notice, engineLog: dependencies.engineLog }),
    '/healthz': healthRoute(responses, release),
    ...moreRoutes?.({ responses, resolveVisit }),
  }
  const handlers = new Map(Object.entries(routes))
  const paths = new Set([...handlers.keys(), ACKNOWLEDGEMENT_PATH])
  const logRequest = createRequestLog({ log, withDestination: logsDestination })

  const server = createPortalServer({
    log,
    capacity,
    tally,
    overloadedResponse: createOverloadedResponses({ headers, style: assets.noticeStyle, site, locales }),
    handle(exchange) {
      const handled = route(exchange)
      // Only acknowledgements are asynchronous, and requests marked as plain http are redirected before they become
      // one.
      if (handled instanceof Promise || !isPlainHttp(exchange)) return handled
      return { ...handled, response: withoutOpenerPolicy(handled.response) }
    },
    handleError(exchange, error) {
      log.error({ err: error }, 'unexpected error')
      try {
        return plain(responses.outcomePage(exchange, { name: 'internal' }))
      } catch (error) {
        log.error({ err: error }, 'unexpected error in the error page')
        return plain(responses.empty(500))
      }
    },
    requestEnded(ended) {
      // Any other path is untrusted text.
      const { path } = ended.exchange
      const route = paths.has(path) ? path : 'other'
      logRequest(ended, route)
      countRequest(tally, ended, route)
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

  function route(exchange: Exchange): Handled | Promise<Handled> {
    const refusal = guardRequest(exchange)
    if (refusal !== undefined) {
      const response = { ...responses.empty(refusal.status), isLast: true } as const
      return { response, event: { name: 'request', refusal: refusal.reason } }
    }
    visitors.warnOfForwarding(exchange)
    const location = secureLocation(exchange, baseUrl)
    if (location !== undefined) return plain(responses.redirect(308, location))
    const { method } = exchange
    const isRelay = exchange.path === ACKNOWLEDGEMENT_PATH
    if (isRelay && sendAcknowledgement === undefined) {
      return plain(acknowledgementResponse(responses, exchange, { name: 'acknowledgementOff' }))
    }
    if (isRelay && method !== 'GET') return outcome({ name: 'methodNotAllowed', allow: 'GET' })
    if (method !== 'GET' && method !== 'HEAD') return outcome({ name: 'methodNotAllowed', allow: 'GET, HEAD' })
    return handlers.get(exchange.path)?.(exchange) ?? outcome({ name: 'notFound' })

    function outcome(outcome: Outcome): Handled {
      return plain(responses.outcomePage(exchange, outcome))
    }
  }
}
