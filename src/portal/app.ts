// Builds the app from its world. Every route stands in one list.
import type { Socket } from 'node:net'
import fastifyCookie from '@fastify/cookie'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify'
import { PayloadOpener } from '../contract/open.ts'
import { type Answers, createAnswers } from './answers.ts'
import { buildAssets } from './assets.ts'
import { buildHeaders } from './html/headers.ts'
import { secureLocation } from './plain-http.ts'
import { createRecordAcceptance } from './record-acceptance.ts'
import { createRequestLog } from './request-log.ts'
import { acknowledgeRoute } from './routes/acknowledge.ts'
import { healthRoute } from './routes/health.ts'
import { localeRoute } from './routes/locale.ts'
import { privacyRoute } from './routes/privacy.ts'
import { verdictRoute } from './routes/verdict.ts'
import { createSessions } from './session.ts'
import { buildSite } from './site.ts'
import { targetPath } from './targets.ts'
import { answerTunnel, answerUnreadable } from './unroutable.ts'
import { createVerdictPages } from './verdict-pages.ts'
import { createForwardingWarning } from './visitor-address.ts'
import { createMeetVisitor, type MeetVisitor } from './visits.ts'
import type { World } from './world.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

/** Handlers by path; a path is matched byte for byte. */
export type Routes = Readonly<Record<string, Handler>>

/** What every route answers with. */
export interface RouteSources {
  readonly answers: Answers
  readonly meet: MeetVisitor
}

const MAXIMUM_HEADER_BYTES = 32 * 1024
const ACKNOWLEDGEMENT_PATH = '/api/captive/ack'
const NOWHERE = '/not-found'

/** @param moreRoutes routes beyond the portal's own */
export function createApp(world: World, moreRoutes?: (sources: RouteSources) => Routes): FastifyInstance {
  const { config, clock, ledger, documents, askEngine } = world
  const { locales, release } = config
  const { secure } = config.publicAddress
  const assets = buildAssets(config.brand.palette)
  const headers = buildHeaders({ versionLabel: release.label, secure, ...assets })
  const sessions = createSessions({ secure, locales })
  const meet = createMeetVisitor({
    site: buildSite(config, assets, world.isPreview ?? false),
    sessions,
    locales,
    clock,
  })
  const answers = createAnswers(headers, assets.noticeStyle, meet)
  const opener = new PayloadOpener(config.payload.keyring)
  const recordAcceptance = createRecordAcceptance({ ledger, config, documents, meet })
  const { maxAgeSeconds } = config.payload
  const policyVersion = config.policy.version
  const renderVerdict = createVerdictPages(documents)
  const verdicts = { answers, meet, opener, sessions, documents, renderVerdict, policyVersion, maxAgeSeconds, clock }
  const records = { recordsClientAddress: config.records.clientAddress, logsDestination: config.records.logDestination }

  const routes: Routes = {
    '/blocked': verdictRoute('block', verdicts),
    '/warned': verdictRoute('warn', verdicts),
    '/aup': verdictRoute('aup', verdicts),
    ...(askEngine && {
      [ACKNOWLEDGEMENT_PATH]: acknowledgeRoute({ answers, opener, askEngine, recordAcceptance }),
    }),
    '/locale': localeRoute({ answers, sessions, locales }),
    '/privacy': privacyRoute({ answers, meet, locales, records }),
    '/healthz': healthRoute(answers, release),
    ...moreRoutes?.({ answers, meet }),
  }
  const paths = new Set([...Object.keys(routes), ACKNOWLEDGEMENT_PATH])

  const app = fastify({
    loggerInstance: world.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustedProxies.length > 0 && [...config.trustedProxies],
    // What is not one of our paths to the byte goes nowhere, before the router decodes anything.
    rewriteUrl: (request) => (paths.has(targetPath(request.url as string)) ? (request.url as string) : NOWHERE),
    routerOptions: { querystringParser: () => ({}) },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: MAXIMUM_HEADER_BYTES },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, world.log),
  })
  app.server.on('connect', (_request, socket) => answerTunnel(socket as Socket, world.log))

  const inFlight = new Set<Promise<unknown>>()
  app.register(fastifyCookie, { secret: [...config.session.secrets] })
  app.decorateRequest('record')
  const logRequest = createRequestLog({ paths, withDestination: config.records.logDestination })
  const warnOfForwarding = createForwardingWarning()
  app.addHook('onRequest', (request, reply, done) => {
    request.record = {}
    warnOfForwarding(request)
    // Not onResponse, which is silent when the browser goes away first.
    reply.raw.once('close', () => {
      const { running } = request.record
      if (running === undefined) logRequest(request, reply)
      else void Promise.allSettled([running]).then(() => logRequest(request, reply))
    })
    const isRelay = targetPath(request.originalUrl) === ACKNOWLEDGEMENT_PATH
    const location = secureLocation(request, config.publicAddress.baseUrl)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && location !== undefined) answers.redirect(reply, 308, location)
    else if (isRelay && askEngine === undefined) answers.outcomePage(request, reply, { name: 'acknowledgementOff' })
    else if (isRelay && request.method !== 'GET') refuseMethod(request, reply, 'GET')
    else if (!isRead) refuseMethod(request, reply, 'GET, HEAD')
    else done()
  })
  app.addHook('onClose', async () => {
    // A browser that went away does not take its acknowledgement with it.
    await Promise.allSettled(inFlight)
  })
  app.setErrorHandler((error, request, reply) => {
    request.log.error({ err: error }, 'unexpected error')
    return answers.outcomePage(request, reply, { name: 'internal' })
  })
  app.setNotFoundHandler((request, reply) => answers.outcomePage(request, reply, { name: 'notFound' }))
  for (const [path, handler] of Object.entries(routes)) app.get(path, tracked(handler, inFlight))
  return app

  function refuseMethod(request: FastifyRequest, reply: FastifyReply, allowed: string): FastifyReply {
    return answers.outcomePage(request, reply.header('allow', allowed), { name: 'methodNotAllowed' })
  }
}

function tracked(handler: Handler, inFlight: Set<Promise<unknown>>): Handler {
  return (request, reply) => {
    const running = handler(request, reply)
    if (!(running instanceof Promise)) return running
    inFlight.add(running)
    request.record.running = running
    running.finally(() => inFlight.delete(running)).catch(() => {})
    return running
  }
}
