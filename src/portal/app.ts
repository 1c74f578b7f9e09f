// Builds the app from its world. Every route stands in one list.
import fastifyCookie from '@fastify/cookie'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify'
import { PayloadOpener } from '../contract/open.ts'
import { createAnswers } from './answers.ts'
import { loadAssets } from './assets.ts'
import { buildHeaders } from './html/headers.ts'
import { answerParserError } from './parser-errors.ts'
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
import { createMeetVisitor } from './visits.ts'
import type { World } from './world.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

const MAXIMUM_HEADER_BYTES = 32 * 1024
const ACKNOWLEDGEMENT_PATH = '/api/captive/ack'
const NOWHERE = '/not-found'

export function createApp(world: World): FastifyInstance {
  const { config, clock, ledger, documents, askEngine } = world
  const { locales, release } = config
  const { secure } = config.publicAddress
  const assets = loadAssets(config.brand.palette)
  const headers = buildHeaders({ versionLabel: release.label, secure, ...assets })
  const sessions = createSessions({ secure, locales })
  const meet = createMeetVisitor({ site: buildSite(config, assets), sessions, locales, clock })
  const answers = createAnswers(headers, assets.noticeStyle, meet)
  const opener = new PayloadOpener(config.payload.keyring)
  const recordAcceptance = createRecordAcceptance({ ledger, config, documents, meet })
  const { maxAgeSeconds } = config.payload
  const policyVersion = config.policy.version
  const verdicts = { answers, meet, opener, sessions, documents, policyVersion, maxAgeSeconds, clock }
  const records = { recordsClientAddress: config.records.clientAddress, logsDestination: config.records.logDestination }

  const routes: Readonly<Record<string, Handler>> = {
    '/blocked': verdictRoute('block', verdicts),
    '/warned': verdictRoute('warn', verdicts),
    '/aup': verdictRoute('aup', verdicts),
    [ACKNOWLEDGEMENT_PATH]:
      askEngine === undefined
        ? (request, reply) => answers.outcomePage(request, reply, { name: 'acknowledgementOff' })
        : acknowledgeRoute({ answers, opener, askEngine, recordAcceptance }),
    '/locale': localeRoute({ answers, sessions, locales }),
    '/privacy': privacyRoute({ answers, meet, locales, records }),
    '/healthz': healthRoute(answers, release),
  }
  const paths = new Set(Object.keys(routes))

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
    clientErrorHandler: answerParserError,
  })

  const inFlight = new Set<Promise<unknown>>()
  app.register(fastifyCookie, { secret: [...config.session.secrets] })
  app.decorateRequest('record')
  app.addHook('onRequest', (request, reply, done) => {
    request.record = {}
    if (request.method === 'GET' || request.method === 'HEAD') return done()
    refuseMethod(request, reply, 'GET, HEAD')
  })
  const logRequest = createRequestLog({ paths, withDestination: config.records.logDestination })
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply)
    done()
  })
  app.addHook('onClose', async () => {
    // A browser that went away does not take its acknowledgement with it.
    await Promise.allSettled(inFlight)
  })
  app.setErrorHandler((error, request, reply) => {
    request.log.error({ err: error }, 'unexpected error')
    return answers.outcomePage(request, reply, { name: 'internal' })
  })
  app.setNotFoundHandler((request, reply) => {
    if (targetPath(request.raw.url as string) === ACKNOWLEDGEMENT_PATH) return refuseMethod(request, reply, 'GET')
    return answers.outcomePage(request, reply, { name: 'notFound' })
  })
  for (const [path, handler] of Object.entries(routes)) {
    const isRelay = path === ACKNOWLEDGEMENT_PATH && askEngine !== undefined
    app.get(path, { exposeHeadRoute: !isRelay }, isRelay ? tracked(handler, inFlight) : handler)
  }
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
    running.finally(() => inFlight.delete(running)).catch(() => {})
    return running
  }
}
