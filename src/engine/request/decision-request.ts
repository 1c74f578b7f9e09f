// A request about which the engine decides, as every listener passes it on.
import type { Client } from './client.ts'
import type { Target } from './target.ts'

/** Whose session or lockout it is: the user where the proxy names one, otherwise the client. */
export interface Identity {
  /** As `parseUser` returns it; undefined where the proxy names none. */
  readonly user: string | undefined
  readonly client: Client
}

export interface DecisionRequest extends Target, Identity {
  /** As the client sent it; the JSON call's default is GET. */
  readonly method: string
}
