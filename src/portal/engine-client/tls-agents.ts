// TLS with the engine. Each request has its own connection, and resuming a session saves both sides the signatures of a full
// handshake. But a resumed session skips the verification, so no agent, with the session it keeps, is used for more than a
// minute, or after a change of the authorities.
import { Agent } from 'node:https'
import type { SecureContext } from 'node:tls'
import { createEngineTrust, type TrustOptions } from './trust.ts'

const LIFETIME_MS = 60_000

interface TlsOptions extends TrustOptions {
  readonly url: URL
  /** Milliseconds; never set back. */
  readonly clock: () => number
}

/** Returns the agent of the next request; over http there is none. */
export function createTlsAgents({ url, clock, ...options }: TlsOptions): () => Agent | undefined {
  if (url.protocol !== 'https:') return () => undefined
  const trust = createEngineTrust(options)
  let current: { readonly secureContext: SecureContext; readonly since: number; readonly agent: Agent } | undefined
  return () => {
    const secureContext = trust()
    const since = clock()
    if (current?.secureContext !== secureContext || since - current.since >= LIFETIME_MS) {
      // `rejectUnauthorized` is explicit, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise turn it off.
      const options = { keepAlive: false, maxCachedSessions: 1, rejectUnauthorized: true, secureContext }
      current = { secureContext, since, agent: new Agent(options) }
    }
    return current.agent
  }
}
