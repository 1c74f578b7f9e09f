// Builds the app from its world. Every route stands in one list.
import { PayloadOpener } from '../contract/open.ts'
import { type Answers, createAnswers } from './answers.ts'
import { buildAssets } from './assets.ts'
import type { Answer, Exchange, Handler } from './exchange.ts'
import { refuseAtGate } from './gate.ts'
import { buildHeaders } from './html/headers.ts'
import { countAnswer, countRequest, createTally } from './ops/tally.ts'
import { createOverloadedAnswers } from './overloaded-answer.ts'
import { isPlainHttp, secureLocation, withoutOpenerPolicy } from './plain-http.ts'
import { createPortalServer, type PortalServer, type ServerLoad } from './portal-server.ts'
import { createRecordAcceptance } from './record-acceptance.ts'
import { createRelayPlaces, type RelayLoad } from './relay-places.ts'
import { createRequestLog } from './request-log.ts'
import { acknowledgeRoute } from './routes/acknowledge.ts'
import { certificateRoute } from './routes/certificate.ts'
import { certificateFileRoute } from './routes/certificate-file.ts'
import { healthRoute } from './routes/health.ts'
import { localeRoute } from './routes/locale.ts'
import { privacyRoute } from './routes/privacy.ts'
import { verdictRoute } from './routes/verdict.ts'
import { createSessions } from './session.ts'
import { buildSite } from './site.ts'
import { createVerdictPages } from './verdict-pages.ts'
import { createVisitorAddresses } from './visitor-address.ts'
import { createMeetVisitor, type MeetVisitor } from './visits.ts'
import type { World } from './world.ts'

/** Handlers by path; a path is matched byte for byte. */
export type Routes = Readonly<Record<string, Handler>>

/** What every route answers with. */
export interface RouteSources {
  readonly answers: Answers
  readonly meet: MeetVisitor
}

export interface Portal extends PortalServer {
  /** How busy it is, in plain numbers. */
  load(): ServerLoad & RelayLoad
}

const ACKNOWLEDGEMENT_PATH = '/api/captive/ack'

/** @param moreRoutes routes beyond the portal's own */
export function createApp(world: World, moreRoutes?: (sources: RouteSources) => Routes): Portal {
  const { config, clock, ledger, documents, askEngine, publishedCa, log, capacity, traceRequest } = world
  const tally = world.tally ?? createTally()
  const { locales, release } = config
  const { secure, baseUrl } = config.publicAddress
  const assets = buildAssets(config.brand.palette, config.policy.enabled)
  const headers = buildHeaders({ versionLabel: release.label, secure, baseUrl, ...assets })
  const sessions = createSessions({ secure, locales, secrets: config.session.secrets })
  const site = buildSite(config, assets, world.isPreview ?? false)
  const meet = createMeetVisitor({ site, sessions, locales, clock, publishedCa })
  const answers = createAnswers(headers, assets.noticeStyle, meet)
  const opener = new PayloadOpener(config.payload.keyring)
  const visitors = createVisitorAddresses(config.trustedProxies, log)
  const recordAcceptance = createRecordAcceptance({ ledger, config, documents, meet, log })
  const places = createRelayPlaces(capacity, tally.shed)
  const { maxAgeSeconds } = config.payload
  const policyVersion = config.policy.version
  const renderVerdict = createVerdictPages(site, documents)
  const verdicts = { answers, meet, opener, sessions, documents, renderVerdict, policyVersion, maxAgeSeconds, clock }
  const certificates = { answers, publishedCa, organisation: site.operator?.name ?? site.product }
  const records = { recordsClientAddress: config.records.clientAddress, logsDestination: config.records.logDestination }

  const routes: Routes = {
    '/blocked': verdictRoute('block', verdicts),
    '/warned': verdictRoute('warn', verdicts),
    '/aup': verdictRoute('aup', verdicts),
    ...(askEngine && {
      [ACKNOWLEDGEMENT_PATH]: acknowledgeRoute({ answers, opener, askEngine, recordAcceptance, visitors, places }),
    }),
    '/ca': certificateRoute({ answers, meet, publishedCa, config, clock }),
    '/ca.crt': certificateFileRoute('crt', certificates),
    '/ca.cer': certificateFileRoute('cer', certificates),
    '/ca.mobileconfig': certificateFileRoute('mobileconfig', certificates),
    '/locale': localeRoute({ answers, sessions, locales }),
    '/privacy': privacyRoute({ answers, meet, locales, records }),
    '/healthz': healthRoute(answers, release),
    ...moreRoutes?.({ answers, meet }),
  }
  const handlers = new Map(Object.entries(routes))
  const paths = new Set([...handlers.keys(), ACKNOWLEDGEMENT_PATH])
  const logRequest = createRequestLog({ log, withDestination: records.logsDestination })

  const server = createPortalServer({
    log,
    capacity,
    tally,
    answerOverloaded: createOverloadedAnswers({ headers, style: assets.noticeStyle, site, locales }),
    handle(exchange) {
      const answer = handle(exchange)
      // What is marked as plain http is never an acknowledgement, which alone is answered later.
      return isPlainHttp(exchange) && !(answer instanceof Promise) ? withoutOpenerPolicy(answer) : answer
    },
    answerError(exchange, error) {
      log.error({ err: error }, 'unexpected error')
      return answers.outcomePage(exchange, { name: 'internal' })
    },
    logRequest(exchange, end) {
      exchange.endedAt = performance.now()
      // A path that is none of ours is a stranger's text.
      const route = paths.has(exchange.path) ? exchange.path : 'other'
      logRequest(exchange, route, end)
      countRequest(tally, exchange, route, end)
      traceRequest?.(exchange, route)
    },
    logUnroutable(line) {
      log.info({ event: 'unroutable', ...line }, 'request')
      countAnswer(tally, line.route, line.status)
    },
  })
  return { ...server, load: () => ({ ...server.load(), ...places.load() }) }

  function handle(exchange: Exchange): Answer | Promise<Answer> {
    const refusal = refuseAtGate(exchange)
    if (refusal !== undefined) {
      exchange.refusal = refusal.reason
      return { ...answers.empty(refusal.status), isLast: true }
    }
    visitors.warnOfForwarding(exchange)
    const { method } = exchange.request
    const isRead = method === 'GET' || method === 'HEAD'
    const location = isRead ? secureLocation(exchange, baseUrl) : undefined
    if (location !== undefined) return answers.redirect(308, location)
    const isRelay = exchange.path === ACKNOWLEDGEMENT_PATH
    if (isRelay && askEngine === undefined) return answers.outcomePage(exchange, { name: 'acknowledgementOff' })
    if (isRelay && method !== 'GET') return answers.outcomePage(exchange, { name: 'methodNotAllowed', allow: 'GET' })
    if (!isRead) return answers.outcomePage(exchange, { name: 'methodNotAllowed', allow: 'GET, HEAD' })
    const handler = handlers.get(exchange.path)
    return handler === undefined ? answers.outcomePage(exchange, { name: 'notFound' }) : handler(exchange)
  }
}
