// The control API: the decision call for connectors and the acknowledgement call for portals, over HTTP.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { decodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import { parseVerdictQuery } from '../../contract/query.ts'
import { equalInConstantTime } from '../constant-time.ts'
import type { Engine, Outcome } from '../engine.ts'
import { parseClient } from '../policy/client.ts'
import { parseDecisionRequest } from './decision-request.ts'
import { type ApiResponse, acknowledgementProblem, problem } from './problems.ts'

export interface ControlApiOptions {
  readonly engine: Engine
  /** The token that connectors and portals must send; undefined when none is required. */
  readonly apiToken: string | undefined
  /** One line for each decision and acknowledgement; never `p`, a token, a code or a URL. */
  readonly log: Logger
}

type Route = {
  readonly method: string
  readonly handle: (request: IncomingMessage) => ApiResponse | Promise<ApiResponse>
}

const MAXIMUM_BODY_BYTES = 64 * 1024
/** On a 302 these reach the browser. */
const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' }

export function createControlApi({ engine, apiToken, log }: ControlApiOptions): RequestListener {
  const routes = new Map<string, Route>([
    ['/healthz', { method: 'GET', handle: () => json({ status: 'ok' }) }],
    ['/api/decision', { method: 'POST', handle: authorised(decide) }],
    ['/api/captive/ack', { method: 'GET', handle: authorised(acknowledge) }],
  ])

  function authorised(handle: Route['handle']): Route['handle'] {
    if (apiToken === undefined) return handle
    return (request) => {
      const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
      if (token !== undefined && equalInConstantTime(token, apiToken)) return handle(request)
      log.warn({ path: split(request.url)[0] }, 'unauthorised')
      return problem(401, undefined, { headers: { 'www-authenticate': 'Bearer' } })
    }
  }

  async function decide(request: IncomingMessage): Promise<ApiResponse> {
    if (!/^application\/json *(?:;|$)/i.test(request.headers['content-type'] ?? '')) return problem(415)
    const body = await readBody(request)
    if (body === undefined) return problem(413)
    const decisionRequest = parseDecisionRequest(body)
    if (typeof decisionRequest === 'string') return problem(400, decisionRequest)
    const decision = engine.decide(decisionRequest.destination, decisionRequest.client)
    const { verdict: outcome, rule } = decision
    const line = { rule, client: decisionRequest.client.address, outcome }
    if (decision.verdict === 'allow') {
      log.info({ ...line, session: decision.session }, 'decision')
      return json({ verdict: 'allow' })
    }
    log.info({ reference: decision.reference, ...line }, 'decision')
    return json(decision)
  }

  function acknowledge(request: IncomingMessage): ApiResponse {
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
      // Only a broken connection gets here: no response is possible.
      .catch(() => response.destroy())
  }

  async function respond(request: IncomingMessage): Promise<ApiResponse> {
    const [path] = split(request.url)
    const route = routes.get(path)
    if (route === undefined) return problem(404)
    if (request.method !== route.method) return problem(405, undefined, { headers: { allow: route.method } })
    try {
      return await route.handle(request)
    } catch (error) {
      if (request.destroyed && !request.complete) throw error
      // Only the stack: an error about a URL has the URL as a member.
      log.error({ stack: error instanceof Error ? error.stack : String(error) }, 'unexpected error')
      return problem(500)
    }
  }
}

function json(document: object): ApiResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) }
}

/** The target's path and query, both undecoded. */
function split(target = ''): [path: string, query: string] {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** The body; undefined when it is too large. */
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
