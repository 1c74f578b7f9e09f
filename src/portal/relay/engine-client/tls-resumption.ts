// Caches the last TLS session with the engine: each request has its own connection, and resumption saves both sides the
// signatures of a full handshake. Resumption skips certificate verification, so a session is valid only for a limited time
// after the last verification, and only with the same authorities.
import type { ClientRequest } from 'node:http'
import type { SecureContext, TLSSocket } from 'node:tls'

export interface Resumption {
  /** Undefined unless the certificate was verified against these authorities within the last minute. */
  sessionFor(context: SecureContext): Buffer | undefined
  /** Caches the sessions of this request's connection. */
  keepFrom(request: ClientRequest, context: SecureContext): void
}

interface VerifiedSession {
  readonly context: SecureContext
  readonly session: Buffer
  readonly verifiedAt: number
}

const LIFETIME_MILLISECONDS = 60_000

/** @param clock milliseconds */
export function createResumption(clock: () => number): Resumption {
  let last: VerifiedSession | undefined
  return {
    sessionFor(context) {
      if (last === undefined || last.context !== context) return undefined
      return clock() - last.verifiedAt < LIFETIME_MILLISECONDS ? last.session : undefined
    },
    keepFrom(request, context) {
      const verifiedBefore = last?.verifiedAt
      request.once('socket', (connection) => {
        const socket = connection as TLSSocket
        socket.on('session', (session: Buffer) => {
          const verifiedAt = socket.isSessionReused() ? verifiedBefore : clock()
          if (verifiedAt !== undefined) last = { context, session, verifiedAt }
        })
      })
    },
  }
}
