// Remembers the last TLS session with the engine: every question has a connection of its own, and resuming spares both
// sides the certificate's signatures. A session is only as good as the certificate was when it was last looked at, and
// as the authorities that it was held against.
import type { ClientRequest } from 'node:http'
import type { SecureContext, TLSSocket } from 'node:tls'

export interface Resumption {
  /** Undefined where the certificate has not been looked at for a minute, or not under these authorities. */
  sessionFor(context: SecureContext): Buffer | undefined
  /** Keeps the sessions that the connection of this request brings. */
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
      const before = last?.verifiedAt
      request.once('socket', (connection) => {
        const socket = connection as TLSSocket
        socket.on('session', (session: Buffer) => {
          const verifiedAt = socket.isSessionReused() ? before : clock()
          if (verifiedAt !== undefined) last = { context, session, verifiedAt }
        })
      })
    },
  }
}
