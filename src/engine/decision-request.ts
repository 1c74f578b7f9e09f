// A decision request, as every door passes it to the engine.
import type { Destination } from '../contract/destination.ts'
import type { Client } from './policy/client.ts'

export interface DecisionRequest {
  readonly destination: Destination
  /** As the client sent it; the JSON call's default is GET. */
  readonly method: string
  readonly client: Client
  /** As `parseUser` returns it; undefined where the proxy names none. */
  readonly user: string | undefined
}

/** Whose session or lockout it is: the user where the proxy names one, otherwise the client. */
export interface Identity {
  readonly user: string | undefined
  readonly client: Client
}
