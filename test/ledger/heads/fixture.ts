// Shared by tests of heads: a ledger whose clock is set, portals that append heads, and what verification finds.
import { randomBytes } from 'node:crypto'
import { type Verified, verifyLedger } from '../../../src/gatewayctl/portal/acceptances/verifying/verify.ts'
import type { AcceptanceRequest, Attempt } from '../../../src/ledger/acceptances.ts'
import { createHeadSigner, type HeadSigner } from '../../../src/ledger/heads/head.ts'
import type { HeadRecord } from '../../../src/ledger/schema.ts'
import type { Outcome } from '../../../src/ledger/state.ts'
import type { DatabaseLocation } from '../../../src/settings/sections/database.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { acceptanceRequest, NOW, openReplica, type Replica } from '../fixture.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const SECRET = randomBytes(32).toString('hex')
/** Of the texts that `acceptanceRequest` names. */
const TEXT = 'test'

export interface Portal {
  readonly ledger: Replica
  readonly signer: HeadSigner
  /** Milliseconds since 1970. */
  time: number
  /** Records an acknowledgement, a second after the one before. */
  record(outcome: Outcome | undefined, changes?: Partial<AcceptanceRequest>): Promise<Attempt>
  /** Appends heads until everything is covered. */
  append(): Promise<readonly HeadRecord[]>
}

interface StartOptions {
  readonly time?: number
  readonly secret?: string
  readonly monotonic?: () => number
}

export async function startPortal(
  t: Cleanup,
  location: DatabaseLocation,
  { time = NOW, secret = SECRET, monotonic }: StartOptions = {},
): Promise<Portal> {
  const signer = createHeadSigner(secret)
  const portal: Portal = {
    ledger: await openReplica(t, location, () => portal.time, monotonic),
    signer,
    time,
    async record(outcome, changes = {}) {
      portal.time += 1_000
      const request = acceptanceRequest({ portalVersion: '2026.49.0-IR', documentSha256: SHA256, ...changes })
      const attempt = await portal.ledger.beginAttempt(request)
      if (outcome !== undefined) await portal.ledger.completeAttempt(attempt, outcome)
      return attempt
    },
    async append() {
      const heads: HeadRecord[] = []
      let continueAt: string | undefined
      do {
        const appended = await portal.ledger.appendHead(signer, continueAt)
        if (appended.head !== undefined) heads.push(appended.head)
        continueAt = appended.continueAt
      } while (continueAt !== undefined)
      return heads
    },
  }
  await portal.ledger.keepDocument({ sha256: SHA256, text: TEXT, mediaType: 'text/plain', locale: 'de' })
  return portal
}

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

export const verified = (location: DatabaseLocation, exported: readonly HeadRecord[] = []): Promise<Verified> =>
  verifyLedger(location, exported, () => {})

/** What was found, short. */
export const found = ({ findings }: Verified) => findings.map(({ what, problem, id }) => `${what} ${problem} ${id}`)
