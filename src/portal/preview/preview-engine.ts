// Simulates the engine in the preview: accepts or rejects a code, and redirects to a page of the preview.
import { CODE_REJECTED_PROBLEM, LOCKED_OUT_PROBLEM } from '../../contract/acknowledgement.ts'
import type { SendAcknowledgement } from '../engine-client/acknowledge.ts'

/** The accepted codes: a PIN of each length that the preview shows, and a passphrase. */
export const PREVIEW_CODES = ['1234', '123456', '123456789012', 'open sesame']
/** This code leads to a lockout. */
export const LOCKING_CODE = '999999'

const LOCKOUT_SECONDS = 843

export function createPreviewEngine(acceptedAddress: string): SendAcknowledgement {
  return async ({ overrideCode }) => {
    if (overrideCode === LOCKING_CODE) {
      return {
        kind: 'lockedOut',
        status: 429,
        problemType: LOCKED_OUT_PROBLEM,
        retryAfter: LOCKOUT_SECONDS,
      }
    }
    if (overrideCode !== undefined && !PREVIEW_CODES.includes(overrideCode)) {
      return {
        kind: 'codeRejected',
        status: 403,
        problemType: CODE_REJECTED_PROBLEM,
        attemptsRemaining: 4,
      }
    }
    const headers = ['Location', acceptedAddress]
    return { kind: 'redirect', status: 302, reasonPhrase: 'Found', headers, body: Buffer.alloc(0) }
  }
}
