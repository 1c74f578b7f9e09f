// How the service responds to an ICAP request, without a socket. Nothing listens before a policy is in force (../process.ts).
import { comparerOf } from '../constant-time.ts'
import type { AmbiguousPath, Decision, Engine } from '../engine.ts'
import type { Policy } from '../policy/policy.ts'
import type { NameUser } from '../request/reported-user.ts'
import { parseAskedHost } from './asked-host.ts'
import { type HttpRefusal, parseHttpHead } from './http-head.ts'
import type { Handshake, IcapHead, IcapProblem } from './icap-head.ts'
import { parseRequester, type UsernameEncoding } from './requester.ts'
import { createResponses, type Responses } from './responses.ts'

export interface ServiceOptions {
  /** As `Monitoring.decideAs` returns it: each decision is counted and logged. */
  readonly decide: Engine['decide']
  /** @param host canonical; undefined for one that does not parse */
  readonly isRuled: (host: string | undefined) => boolean
  /** Its revision is the ISTag. */
  readonly policies: { readonly current: Pick<Policy, 'revision' | 'affixes'> }
  readonly token: string
  /** Of `Monitoring`. */
  readonly instance: string
  /** Whether CONNECT is decided, or allowed because the proxy sends each decrypted request as well. */
  readonly connect: 'decide' | 'allow'
  readonly username: UsernameEncoding
  readonly nameUser: NameUser
}

/** What happens to a request. */
export type IcapAction =
  | { readonly kind: 'allow' }
  /** `text` is the whole response. */
  | { readonly kind: 'stop'; readonly text: string }
  | { readonly kind: 'refuse'; readonly text: string; readonly refusal: HttpRefusal }
  | { readonly kind: 'problem'; readonly problem: IcapProblem }

export interface Service {
  /** Of the policy in force. */
  readonly responses: Responses
  /** Whether the request may go on to its HTTP head; otherwise what is wrong. */
  admit(head: IcapHead): IcapProblem | undefined
  /** The whole response to OPTIONS or HOSTS that has been admitted. @throws what the engine throws */
  responseWithoutHttp(head: IcapHead): string
  /** What happens to a request with an HTTP head. A promise where `Engine.decide` returns one. @throws what the engine throws */
  actionFor(head: IcapHead, http: Buffer): IcapAction | Promise<IcapAction>
}

const METHODS = { reqmod: 'REQMOD', hosts: 'HOSTS' } as const
/** The service and the token, with the slashes that clients add where a setting has some already. */
const SERVICE = /^\/{1,2}(reqmod|hosts)(?:\/(.*))?$/
/** A browser tries again on another connection (RFC 9110, section 15.5.20). */
const MISDIRECTED: HttpRefusal = { status: 421, reason: 'another host than the TLS handshake of its connection' }
/** Methods that another service supports, here or elsewhere. */
const ELSEWHERE = new Set(['REQMOD', 'RESPMOD', 'HOSTS'])
/** Of one request. */
const MAXIMUM_HOSTS = 100
const ALLOW: IcapAction = { kind: 'allow' }
const AMBIGUOUS_PATH: HttpRefusal = {
  status: 400,
  reason: 'an ambiguous path, about which a rule with a path would decide',
  page: 'ambiguous path',
}

/** Browsers send no name where a URL has an address. Undefined for what is no host. */
function hostOfHandshake({ address, name = address }: Handshake): string | undefined {
  return parseAskedHost(name)
}

/** The service that a path names, and the token in it. */
function parseServicePath(path: string): { readonly name: keyof typeof METHODS; readonly inPath: string } | undefined {
  const [, name, inPath = ''] = SERVICE.exec(path) ?? []
  return name === 'reqmod' || name === 'hosts' ? { name, inPath } : undefined
}

export function createService({
  decide,
  isRuled,
  policies,
  token,
  instance,
  connect,
  username,
  nameUser,
}: ServiceOptions): Service {
  const isToken = comparerOf(token)
  const isPathToken = (text: string) => isToken(text) || isToken(text.replace(/^\/|\/$/g, ''))
  let cached = createResponses(policies.current.revision, instance)

  function responses(): Responses {
    const { revision } = policies.current
    if (cached.revision !== revision) cached = createResponses(revision, instance)
    return cached
  }

  function actionOf(decision: Decision | AmbiguousPath, method: string): IcapAction {
    if (decision.verdict === 'allow') return ALLOW
    if (decision.verdict === 'refuse') return refused(AMBIGUOUS_PATH, method)
    // Browsers show no page for it.
    const isConnect = method === 'CONNECT'
    return {
      kind: 'stop',
      text: isConnect ? responses().refusal({ status: 403 }) : responses().redirect(method, decision.redirect),
    }
  }

  function refused(refusal: HttpRefusal, method?: string): IcapAction {
    return { kind: 'refuse', text: responses().refusal(refusal, method), refusal }
  }

  return {
    get responses() {
      return responses()
    },
    admit({ method, path, token: sent, hosts }) {
      const service = parseServicePath(path)
      if (service === undefined) return { status: 404, reason: 'the services are /reqmod and /hosts' }
      const { name, inPath } = service
      if (method !== 'OPTIONS' && method !== METHODS[name]) {
        const status = ELSEWHERE.has(method) ? 405 : 501
        return { status, reason: `/${name} supports only ${METHODS[name]}` }
      }
      const isInPath = inPath !== '' && inPath !== '/'
      // Squid sends no further fields with OPTIONS, and the response is no secret.
      if (method === 'OPTIONS' && sent === undefined && !isInPath) return undefined
      const isWrong = (sent !== undefined && !isToken(sent)) || (isInPath && !isPathToken(inPath))
      if (isWrong || (sent === undefined && !isInPath)) {
        return { status: 403, reason: 'X-Engine-Token, or the token in the path of the service, is missing or wrong' }
      }
      if (method !== 'HOSTS' || (hosts.length > 0 && hosts.length <= MAXIMUM_HOSTS)) return undefined
      return { status: 400, reason: `HOSTS must have 1 to ${MAXIMUM_HOSTS} X-Host fields` }
    },
    responseWithoutHttp({ method, path, hosts }) {
      if (method === 'HOSTS') return responses().hosts(hosts.map((text) => isRuled(parseAskedHost(text))))
      return responses().options[parseServicePath(path)?.name ?? 'reqmod']
    },
    actionFor(head, http) {
      const requester = parseRequester(head, username, policies.current.affixes)
      if (requester.reason !== undefined) return { kind: 'problem', problem: requester }
      const request = parseHttpHead(http)
      if (request.reason !== undefined) return refused(request)
      const { method } = request
      if (head.handshake !== undefined && request.host !== hostOfHandshake(head.handshake)) {
        return refused(MISDIRECTED, method)
      }
      if (method === 'CONNECT' && connect === 'allow') return ALLOW
      const decision = decide(nameUser({ ...request, ...requester }))
      return decision instanceof Promise
        ? decision.then((found) => actionOf(found, method))
        : actionOf(decision, method)
    },
  }
}
