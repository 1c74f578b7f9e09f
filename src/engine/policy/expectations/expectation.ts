// An `[[expect]]` of the policy: a request, and what the rules must decide about it.
import { parseClient } from '../../request/client.ts'
import type { DecisionRequest } from '../../request/decision-request.ts'
import type { EXPECTED_VERDICTS } from './expectation-shape.ts'

export interface Expectation {
  /** Without `client` from `NO_CLIENT`. */
  readonly request: DecisionRequest
  readonly client: string | undefined
  /** Milliseconds since the epoch. */
  readonly at: number | undefined
  readonly verdict: (typeof EXPECTED_VERDICTS)[number]
  /** The rule's name; `default` for the default. */
  readonly rule: string | undefined
  /** `policy.toml:12: expect[3]` */
  readonly place: string
}

/** Stands for no client, as with `gatewayctl engine why`: no rule should name it. */
export const NO_CLIENT = parseClient('0.0.0.0') as NonNullable<ReturnType<typeof parseClient>>
