// The app's dependencies: everything that a test replaces to control time, engine or storage.
import type { Logger } from 'pino'
import type { PolicyTexts } from '../aup/policy-texts.ts'
import type { CurrentCa } from '../certificate/watch.ts'
import type { EngineRecords } from '../contract/engine-health.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Capacity } from './capacity.ts'
import type { SendAcknowledgement } from './engine-client/acknowledge.ts'
import type { Tally } from './monitoring/tally.ts'
import type { Catalogues } from './page/i18n/catalogue.ts'
import type { Config } from './settings/config.ts'
import type { PolicyDocuments } from './verdict/policy-document.ts'

export interface Dependencies {
  readonly config: Config
  readonly ledger: Ledger
  readonly catalogues: Catalogues
  /** The policy texts that `/aup` shows; they are already in the ledger. */
  readonly documents: PolicyDocuments
  /** What the operator adds to the privacy notice. */
  readonly privacyTexts: PolicyTexts | undefined
  /** What the engine records of visitors, as far as it is known; not known when omitted. */
  readonly engineRecords?: (() => EngineRecords) | undefined
  /** Undefined when acknowledgements are turned off. */
  readonly sendAcknowledgement: SendAcknowledgement | undefined
  /** The interception CA that visitors can install. */
  readonly publishedCa: CurrentCa
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly log: Logger
  /** Counters for the metrics; created by the app when omitted. */
  readonly tally?: Tally
  readonly capacity: Capacity
  /** Marks every page as a preview. */
  readonly isPreview?: boolean
}
