// The control API: the decision call for connectors and the acknowledgement call for portals, over HTTP.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { decodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import { parseVerdictQuery } from '../../contract/query.ts'
import { equalInConstantTime } from '../constant-time.ts'
import type { Engine, Outcome } from '../engine.ts'
import { parseClient } from '../policy/client.ts'
import { parseDecisionRequest } from './decision-request.ts'
import { type Answer, acknowledgementProblem, problem } from './problems.ts'

export interface ControlApiOptions {
  readonly engine: Engine
  /** What connectors and portals have to present; undefined when everyone may ask. */
  readonly apiToken: string | undefined
  /** One line for each decision and acknowledgement; never `p`, a token, a code or a URL. */
  readonly log: Logger
}

type Route = { readonly method: string; readonly answer: (request: IncomingMessage) => Answer | Promise<Answer> }

const MAXIMUM_BODY_BYTES = 64 * 1024
/** Those of a 302 reach the browser. */
const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' }

export function createControlApi({ engine, apiToken, log }: ControlApiOptions): RequestListener {
  const routes = new Map<string, Route>([
    ['/healthz', { method: 'GET', answer: () => json({ status: 'ok' }) }],
    ['/api/decision', { method: 'POST', answer: authorised(decide) }],
    ['/api/captive/ack', { method: 'GET', answer: authorised(acknowledge) }],
  ])

  function authorised(answer: Route['answer']): Route['answer'] {
    if (apiToken === undefined) return answer
    return (request) => {
      const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
      if (token !== undefined && equalInConstantTime(token, apiToken)) return answer(request)
      log.warn({ path: split(request.url)[0] }, 'unauthorised')
      return problem(401, undefined, { headers: { 'www-authenticate': 'Bearer' } })
    }
  }

  async function decide(request: IncomingMessage): Promise<Answer> {
    if (!/^application\/json *(?:;|$)/i.test(request.headers['content-type'] ?? '')) return problem(415)
    const body = await readBody(request)
    if (body === undefined) return problem(413)
    const question = parseDecisionRequest(body)
    if (typeof question === 'string') return problem(400, question)
    const decision = engine.decide(question.destination, question.client)
    const { verdict: outcome, rule } = decision
    const line = { rule, client: question.client.address, outcome }
    if (decision.verdict === 'allow') {
      log.info({ ...line, session: decision.session }, 'decision')
      return json({ verdict: 'allow' })
    }
    log.info({ reference: decision.reference, ...line }, 'decision')
    return json(decision)
  }

  function acknowledge(request: IncomingMessage): Answer {
    const forwardedFor = parseClient(request.headers['x-forwarded-for']?.toString() ?? '')?.address
    const query = parseVerdictQuery(split(request.url)[1])
    const [header, ...more] = request.headersDistinct[OVERRIDE_CODE_HEADER] ?? []
    const code = header === undefined ? undefined : decodeOverrideCode(header)
    if (typeof query === 'string' || more.length > 0 || (header !== undefined && code === undefined)) {
      log.info({ forwardedFor, outcome: 'malformed' }, 'acknowledgement')
      return problem(400, 'The request must have p, v and ts, each once, and at most one well-formed override code.')
    }
    const { outcome, reference, rule, client } = engine.acknowledge(query, code)
    log.info({ reference, rule, client: client?.address, forwardedFor, ...loggable(outcome) }, 'acknowledgement')
    if (outcome.kind !== 'accepted') return acknowledgementProblem(outcome)
    return { status: 302, headers: { location: outcome.location }, body: '' }
  }

  return (request, response) => {
    respond(request)
      .then(({ status, headers, body }) => {
        const length = Buffer.byteLength(body)
        response.writeHead(status, { ...ALWAYS, ...headers, 'content-length': length }).end(body)
      })
      // Only a connection that broke gets here: there is nobody left to answer.
      .catch(() => response.destroy())
  }

  async function respond(request: IncomingMessage): Promise<Answer> {
    const [path] = split(request.url)
    const route = routes.get(path)
    if (route === undefined) return problem(404)
    if (request.method !== route.method) return problem(405, undefined, { headers: { allow: route.method } })
    try {
      return await route.answer(request)
    } catch (error) {
      if (request.destroyed && !request.complete) throw error
      // Not the error itself: one about a URL carries it as a member.
      log.error({ stack: error instanceof Error ? error.stack : String(error) }, 'unexpected error')
      return problem(500)
    }
  }
}

function json(document: object): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) }
}

/** The target's path and query, neither decoded. */
function split(target = ''): [path: string, query: string] {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** The body, or undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAXIMUM_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function loggable(outcome: Outcome): object {
  if (outcome.kind === 'accepted') return { outcome: outcome.kind, repeated: outcome.repeated }
  const { kind, ...detail } = outcome
  return { outcome: kind, ...detail }
}
