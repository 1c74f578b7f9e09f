// Relays a visitor's acknowledgement to the engine, and the engine's redirect back (protocol v1, section 2).
import type { SendAcknowledgement } from '../engine-client/acknowledge.ts'
import type { RequestEvent } from '../event.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import type { Respond } from '../outcome/respond.ts'
import type { Services } from '../services.ts'
import type { VisitorAddress } from '../visitor/visitor-address.ts'
import { type Acknowledgement, checkRequest } from './check.ts'
import { type Failure, notAdmitted, notRecorded, outcomeFor } from './failure.ts'
import { relayedRedirect } from './redirect.ts'

export function acknowledgeRoute(services: Services & { readonly sendAcknowledgement: SendAcknowledgement }) {
  const { respond, redeem, resolveVisit, visitors, relayLimit, recordAcceptance, sendAcknowledgement } = services

  return async (exchange: Exchange): Promise<Handled> => {
    const { acknowledgement, failure } = checkRequest(exchange, redeem)
    if (failure !== undefined) return failed(exchange, failure)
    const { verdict } = acknowledgement
    // Read first: after a disconnect the socket has no address, but the acknowledgement continues.
    const client = visitors.addressOf(exchange)
    const connection = exchange.request.socket
    const { release, rejection } = await relayLimit.admit({ verdict, clientNetwork: client?.network, connection })
    if (rejection !== undefined) return failed(exchange, notAdmitted(rejection, verdict))
    try {
      return await relay(exchange, acknowledgement, client)
    } finally {
      release()
    }
  }

  /** Records the attempt if a policy is accepted, requests the engine, and records its response. */
  async function relay(
    exchange: Exchange,
    { query, verdict, overrideCode }: Acknowledgement,
    client: VisitorAddress | undefined,
  ): Promise<Handled> {
    const recorded =
      verdict.kind === 'aup' ? await timed(recordAcceptance(resolveVisit(exchange), verdict, client)) : undefined
    const times = { record: recorded?.milliseconds }
    const { attempt, reason } = recorded?.result ?? {}
    if (reason !== undefined) return failed(exchange, notRecorded(reason, { verdict, times }))
    const engine = await timed(sendAcknowledgement({ query, clientAddress: client?.address, overrideCode }))
    const engineResponse = engine.result
    await attempt?.complete(engineResponse)
    const event: RequestEvent = {
      name: engineResponse.kind === 'lockedOut' ? 'lockout' : 'acknowledgement',
      verdict,
      engineResponse,
      times: { ...times, engine: engine.milliseconds },
    }
    if (engineResponse.kind === 'redirect') return { response: relayedRedirect(engineResponse), event }
    return failed(exchange, { outcome: outcomeFor(engineResponse, verdict), event })
  }

  function failed(exchange: Exchange, { outcome, event }: Failure): Handled {
    return { response: respond(exchange, outcome), event }
  }
}

/** Without an engine nothing can be acknowledged. */
export function acknowledgementOffRoute(respond: Respond) {
  return (exchange: Exchange): Handled => plain(respond(exchange, { name: 'acknowledgementOff' }))
}

async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const startedAt = performance.now()
  const result = await work
  return { result, milliseconds: performance.now() - startedAt }
}
