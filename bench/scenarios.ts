// The scenarios: requests to the portal, and the servers to compare it with.
import { readFileSync } from 'node:fs'
import { type Server, startServer } from '../test/support/servers.ts'
import {
  BARE,
  type Contender,
  contender,
  fetchPage,
  indexOfMedianLength,
  OPENING,
  portalContender,
  startBareServer,
} from './contenders.ts'
import { type DecisionKind, decisionBodies, decisionBytes, icapBytes, icapName } from './engine/requests.ts'
import { NAMES, QUICK_NAMES } from './engine/result.ts'
import { prepareEngine } from './engine/server.ts'
import { type BenchEnvironment, REPLAY_WINDOW_SECONDS } from './environment.ts'
import {
  acknowledgements,
  type BrowserRequest,
  forged,
  malformed,
  navigations,
  REQUESTS,
  requestBytes,
  subresources,
} from './requests.ts'

/** The contenders of a scenario. */
interface Setup {
  readonly contenders: readonly [Contender, ...Contender[]]
  /** The pairs to compare as ratios. */
  readonly pairs: readonly (readonly [Contender, Contender])[]
  /** Started for this scenario, stopped afterwards. */
  readonly servers: readonly Server[]
}

export interface SetupOptions {
  readonly isQuick: boolean
  /** Loads a contender until its code is compiled and the lengths of its responses are known. */
  readonly warm: (one: Contender) => Promise<void>
}

export interface Scenario {
  readonly name: string
  readonly title: string
  /** Overrides the command line. */
  readonly connections?: number
  /** Whether another server shares the core of the load. */
  readonly sharesCore?: true
  /** Whether it is also measured at a constant rate. */
  readonly isPaced?: true
  readonly setUp: (environment: BenchEnvironment, options: SetupOptions) => Promise<Setup>
}

const ISSUED_AT_ONCE = 32
const ISSUED_WHEN_QUICK = 1000

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'blocked',
    title: '`/blocked`',
    isPaced: true,
    setUp: (environment, options) =>
      againstBare(environment, options, navigations('block', now(), environment.key), { isSealed: true }),
  },
  {
    name: 'warned',
    title: '`/warned` with a button',
    isPaced: true,
    setUp: (environment, options) =>
      againstBare(environment, options, navigations('warn', now(), environment.key), { isSealed: true }),
  },
  {
    name: 'aup',
    title: '`/aup` with a policy of 20 KB',
    isPaced: true,
    setUp: (environment, options) =>
      againstBare(environment, options, navigations('aup', now(), environment.key), { isSealed: true }),
  },
  refusal('malformed', 'rejected: a malformed payload', (environment) =>
    malformed(navigations('block', now(), environment.key)),
  ),
  refusal('forged', 'rejected: a wrong tag', (environment) => forged(navigations('block', now(), environment.key))),
  refusal('expired', 'rejected: an expired payload', (environment) =>
    navigations('block', now() - 2 * REPLAY_WINDOW_SECONDS, environment.key),
  ),
  {
    name: 'subresource',
    title: 'parts of a blocked page (image, script, style, font)',
    setUp: (environment, options) =>
      againstBare(environment, options, subresources(navigations('block', now(), environment.key)), { status: 403 }),
  },
  {
    name: 'relay',
    title: 'an acknowledgement, one at a time',
    connections: 1,
    sharesCore: true,
    async setUp(environment, { isQuick, warm }) {
      const queries = await issueVerdicts(environment, 'news.localhost', isQuick ? ISSUED_WHEN_QUICK : REQUESTS)
      const relay = portalContender(environment, acknowledgements(queries), 302)
      const { portalVariables, pid } = environment.engine
      const port = Number(new URL(portalVariables.ENGINE_INTERNAL_URL as string).port)
      const authorization = `Bearer ${readFileSync(portalVariables.ENGINE_API_TOKEN_FILE as string, 'utf8').trim()}`
      const requests = queries.map((query) => {
        const headers = {
          ...{ Host: 'localhost', Accept: 'application/json', 'Accept-Encoding': 'identity' },
          Authorization: authorization,
        }
        return requestBytes({ target: `/api/captive/ack?${query}`, headers })
      })
      const engine = contender('the engine, directly', [{ pid, port, stop: async () => {} }], requests, {
        status: 302,
        // Like the portal.
        connections: 'new',
        tls: { servername: 'localhost', ca: readFileSync(portalVariables.ENGINE_CA_FILE as string) },
      })
      for (const one of [relay, engine]) await warm(one)
      return { contenders: [relay, engine], pairs: [], servers: [] }
    },
  },
  {
    name: 'engine',
    title: 'the engine, kept connections: its JSON call with TLS, and ICAP',
    async setUp(environment, { isQuick, warm }) {
      const names = isQuick ? QUICK_NAMES : NAMES
      const { plan, token, ca, icapPort } = await prepareEngine(environment, 'engine', names)
      const server = await startServer(plan, environment.cores)
      const tls = { servername: 'localhost', ca }
      const calls = (kind: DecisionKind) =>
        contender(
          kind,
          [server],
          decisionBodies(kind, names).map((body) => decisionBytes(body, token)),
          { tls },
        )
      const byIcap = (kind: DecisionKind) =>
        contender(
          icapName(kind),
          [server],
          decisionBodies(kind, names).map((body, index) => icapBytes(body, index, token)),
          { port: icapPort, status: kind === 'allowed' ? 204 : 200 },
        )
      const [first, ...others] = ['allowed', 'stopped', 'warned'] as const
      const contenders = [calls(first), ...others.map(calls), ...[first, ...others].map(byIcap)] as const
      for (const one of contenders) await warm(one)
      return { contenders, pairs: [], servers: [server] }
    },
  },
]

/** A refusal compared with the page of a valid payload. */
function refusal(name: string, title: string, requests: (environment: BenchEnvironment) => BrowserRequest[]): Scenario {
  return {
    name,
    title,
    async setUp(environment, { warm }) {
      const refused = portalContender(environment, requests(environment), 403, 'portal, refusing')
      const page = portalContender(environment, navigations('block', now(), environment.key), 200, 'portal, `/blocked`')
      for (const one of [refused, page]) await warm(one)
      return { contenders: [refused, page], pairs: [[refused, page]], servers: [] }
    },
  }
}

/** The portal compared with bare servers that send its response of median length. */
export async function againstBare(
  environment: BenchEnvironment,
  { warm }: SetupOptions,
  requests: readonly BrowserRequest[],
  { status = 200, isSealed = false }: { readonly status?: number; readonly isSealed?: boolean } = {},
): Promise<Setup> {
  const portal = portalContender(environment, requests, status)
  await warm(portal)
  const page = await fetchPage(
    environment.portal,
    requests[indexOfMedianLength(portal.target.lengths)] as BrowserRequest,
  )
  const others: Contender[] = []
  for (const opens of isSealed ? [true, false] : [false]) {
    const server = await startBareServer(environment, page, opens)
    const other = contender(opens ? OPENING : BARE, [server], requests.map(requestBytes), { status })
    await warm(other)
    others.push(other)
  }
  return {
    contenders: [portal, ...others],
    pairs: others.map((other) => [portal, other]),
    servers: others.flatMap(({ servers }) => servers),
  }
}

/** Queries of verdicts that the engine has issued, each for a different client. */
async function issueVerdicts(
  { engine }: Pick<BenchEnvironment, 'engine'>,
  host: string,
  count: number,
  firstClient = 0,
): Promise<string[]> {
  const queries: string[] = []
  while (queries.length < count) {
    const clients = Array.from({ length: ISSUED_AT_ONCE }, (_, index) => firstClient + queries.length + index)
    const issued = clients.map((number) =>
      engine.issue(host, `10.${60 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`),
    )
    queries.push(...(await Promise.all(issued)))
  }
  return queries
}

export function now(): number {
  return Math.floor(Date.now() / 1000)
}
