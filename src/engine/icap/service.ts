// How the service responds to an ICAP request, without a socket.
import { comparerOf } from '../constant-time.ts'
import type { Engine } from '../engine.ts'
import type { Policy } from '../policy/policy.ts'
import { type HttpRefusal, parseHttpHead } from './http-head.ts'
import type { IcapHead, IcapProblem } from './icap-head.ts'
import { parseRequester, type UsernameEncoding } from './requester.ts'
import { createResponses, type Responses } from './responses.ts'

export interface ServiceOptions {
  readonly engine: Pick<Engine, 'decide'>
  /** Its revision is the ISTag. */
  readonly policies: { readonly current: Pick<Policy, 'revision' | 'affixes'> }
  readonly token: string
  /** Of `Monitoring`. */
  readonly instance: string
  /** Whether CONNECT is decided, or allowed because the proxy sends each decrypted request as well. */
  readonly connect: 'decide' | 'allow'
  readonly username: UsernameEncoding
}

/** What happens to a request. */
export type Answer =
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
  /** Synchronous unless the engine has to look something up. @throws what the engine throws */
  answer(head: IcapHead, http: Buffer): Answer | Promise<Answer>
}

const PATH = '/reqmod'
/** The service and the token, with the slashes that clients add where a setting has some already. */
const SERVICE = /^\/{1,2}reqmod(?:\/(.*))?$/
const ALLOW: Answer = { kind: 'allow' }
const AMBIGUOUS_PATH: HttpRefusal = {
  status: 400,
  reason: 'an ambiguous path, about which a rule with a path would decide',
  page: 'ambiguous path',
}

type Decision = Awaited<ReturnType<Engine['decide']>>

export function createService({ engine, policies, token, instance, connect, username }: ServiceOptions): Service {
  const isToken = comparerOf(token)
  const isPathToken = (text: string) => isToken(text) || isToken(text.replace(/^\/|\/$/g, ''))
  let cached = createResponses(policies.current.revision, instance)

  function responses(): Responses {
    const { revision } = policies.current
    if (cached.revision !== revision) cached = createResponses(revision, instance)
    return cached
  }

  function decided(decision: Decision, method: string): Answer {
    if (decision.verdict === 'allow') return ALLOW
    if (decision.verdict === 'refuse') return refused(AMBIGUOUS_PATH, method)
    // Browsers show no page for it.
    const isConnect = method === 'CONNECT'
    return {
      kind: 'stop',
      text: isConnect ? responses().refusal({ status: 403 }) : responses().redirect(method, decision.redirect),
    }
  }

  function refused(refusal: HttpRefusal, method?: string): Answer {
    return { kind: 'refuse', text: responses().refusal(refusal, method), refusal }
  }

  return {
    get responses() {
      return responses()
    },
    admit({ method, path, token: sent }) {
      const [isService, inPath = ''] = SERVICE.exec(path) ?? []
      if (isService === undefined) return { status: 404, reason: `the service is ${PATH}` }
      if (method === 'RESPMOD') return { status: 405, reason: 'only REQMOD is supported' }
      if (method !== 'OPTIONS' && method !== 'REQMOD') return { status: 501, reason: 'only REQMOD is supported' }
      const isInPath = inPath !== '' && inPath !== '/'
      // Squid sends no further fields with OPTIONS, and the response is no secret.
      if (method === 'OPTIONS' && sent === undefined && !isInPath) return undefined
      const isWrong = (sent !== undefined && !isToken(sent)) || (isInPath && !isPathToken(inPath))
      if (!isWrong && (sent !== undefined || isInPath)) return undefined
      return { status: 403, reason: 'X-Engine-Token, or the token in the path of the service, is missing or wrong' }
    },
    answer(head, http) {
      const requester = parseRequester(head, username, policies.current.affixes)
      if ('status' in requester) return { kind: 'problem', problem: requester }
      const request = parseHttpHead(http)
      if ('status' in request) return refused(request)
      const { method } = request
      if (method === 'CONNECT' && connect === 'allow') return ALLOW
      const decision = engine.decide({ ...request, ...requester })
      return decision instanceof Promise ? decision.then((found) => decided(found, method)) : decided(decision, method)
    },
  }
}
