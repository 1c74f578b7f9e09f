// Builds an acceptance with the attempts that a test defines.
import type { AcceptanceWithAttempts } from '../../src/gatewayctl/portal/acceptances/ledger/reading.ts'
import type { AttemptRecord } from '../../src/ledger/schema.ts'

/** Default shown columns of every attempt. */
export const SHOWN = {
  policy_version: '2026-11-20',
  document_sha256: '0'.repeat(64),
  locale: 'de',
  document_source: 'shown',
  client_address: null,
} as const satisfies Partial<AttemptRecord>

/** Before any decision. */
export function pendingAcceptance(requestedAt: string, attempts: readonly AttemptRecord[]): AcceptanceWithAttempts {
  return {
    id: '01a1fa89-7d4e-7c0b-9a3f-2f5b7e6d1c08',
    jti: 'Zk3Qv0yqS1uYb2mXw7cD4g',
    rule_name: 'aup-guests',
    ...SHOWN,
    state: 'pending',
    requested_at: requestedAt,
    decided_at: null,
    engine_status: null,
    attempts: attempts.length,
    portal_version: '2026.47.0-IR',
    attempt_records: attempts,
  }
}
