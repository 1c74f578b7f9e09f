// Records the acknowledgement of a policy: the attempt before the request to the engine, the outcome after it.
import type { Logger } from 'pino'
import type { Verdict } from '../../contract/verdict.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { EngineResponse } from '../engine-client/response.ts'
import type { Config } from '../settings/config.ts'
import type { PolicyDocuments } from '../verdict/policy-document.ts'
import type { VisitWithSession } from '../visitor/visit.ts'
import type { VisitorAddress } from '../visitor/visitor-address.ts'

/** A committed attempt. `complete` never rejects, because the engine has already decided. */
interface CommittedAttempt {
  complete(response: EngineResponse): Promise<void>
}

/**
 * @param client the visitor's address, if known
 * @returns `exhausted` when the verdict has reached its maximum of attempts, `unavailable` when the ledger failed
 */
export type RecordAcceptance = (
  visit: VisitWithSession,
  verdict: Verdict,
  client: VisitorAddress | undefined,
) => Promise<Recorded>

type Recorded =
  | { readonly attempt: CommittedAttempt; readonly reason?: undefined }
  | { readonly attempt?: undefined; readonly reason: 'exhausted' | 'unavailable' }

export interface RecordDependencies {
  readonly ledger: Ledger
  readonly config: Config
  readonly documents: PolicyDocuments
  readonly log: Logger
}

export function createRecordAcceptance({ ledger, config, documents, log }: RecordDependencies): RecordAcceptance {
  return async ({ session, locale }, verdict, client) => {
    const shown = session.shown.find(({ reference }) => reference === verdict.reference)
    const document = shown ?? {
      locale: documents[locale].locale,
      documentSha256: documents[locale].sha256,
      policyVersion: config.policy.version,
    }
    try {
      const request = {
        reference: verdict.reference,
        ruleName: verdict.ruleName,
        policyVersion: document.policyVersion,
        documentSha256: document.documentSha256,
        locale: document.locale,
        documentSource: shown === undefined ? ('assumed' as const) : ('shown' as const),
        portalVersion: config.release.label,
        clientAddress: config.records.clientAddress ? client?.address : undefined,
      }
      const attempt = await ledger.beginAttempt(request, client?.network)
      if (attempt === 'exhausted') return { reason: 'exhausted' }
      const complete = async (response: EngineResponse) => {
        try {
          await ledger.completeAttempt(attempt, attemptResult(response))
        } catch (error) {
          const { reference } = verdict
          const event = { event: 'record.failed', reference, outcome: response.kind, err: error }
          log.error(event, 'acceptance stays pending')
        }
      }
      return { attempt: { complete } }
    } catch (error) {
      const event = { event: 'record.failed', reference: verdict.reference, err: error }
      log.error(event, 'acceptance could not be recorded')
      return { reason: 'unavailable' }
    }
  }
}

function attemptResult(response: EngineResponse): number | 'broken' | 'none' {
  if (response.kind === 'late') return 'none'
  return response.status ?? 'broken'
}
