// The engine's health document (`GET /healthz` on its control API). It names the key that the engine seals with, so that a
// wrong shared secret is found before a visitor is affected, and what the engine logs and its journal keeps, for the privacy
// notice. The document is optional for engines.

const KEY_ID = /^[A-Za-z0-9_-]{8}$/

/** What the engine's log has about visitors, in addition to address, user and rule of each stopped request. */
export interface EngineLog {
  /** Whether it has allowed requests. */
  readonly allowed: boolean
  /** Whether it has the site. */
  readonly hosts: boolean
}

/** What the engine's journal keeps of each stopped request. */
export interface EngineJournal {
  /** For how long; 0 if there is no journal. */
  readonly days: number
  /** After these, address and user are replaced by pseudonyms. */
  readonly personDays: number
  /** Whether it has the site. */
  readonly hosts: boolean
}

const NO_JOURNAL: EngineJournal = { days: 0, personDays: 0, hosts: false }

/** What the engine records of visitors. Each is undefined while it is not known: an older engine reports no journal. */
export interface EngineRecords {
  readonly log: EngineLog | undefined
  readonly journal: EngineJournal | undefined
}

export function healthDocument(keyId: string, { allowed, hosts }: EngineLog, journal = NO_JOURNAL): object {
  const { days, personDays } = journal
  return {
    status: 'ok',
    kid: keyId,
    log: { allowed, hosts },
    journal: { days, person_days: personDays, hosts: journal.hosts },
  }
}

/** What such a document says of the engine's journal; undefined for any other text, such as that of an older engine. */
export function engineJournalOf(body: string): EngineJournal | undefined {
  try {
    const { days, person_days: personDays, hosts } = Object(Object(JSON.parse(body)).journal)
    return isDays(days) && isDays(personDays) && typeof hosts === 'boolean' ? { days, personDays, hosts } : undefined
  } catch {
    return undefined
  }
}

function isDays(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 3650
}

/** What such a document says of the engine's log; undefined for any other text. */
export function engineLogOf(body: string): EngineLog | undefined {
  try {
    const { allowed, hosts } = Object(Object(JSON.parse(body)).log)
    return typeof allowed === 'boolean' && typeof hosts === 'boolean' ? { allowed, hosts } : undefined
  } catch {
    return undefined
  }
}

/** The key id in such a document; undefined for any other text. */
export function keyIdOf(body: string): string | undefined {
  try {
    const { kid } = Object(JSON.parse(body))
    return typeof kid === 'string' && KEY_ID.test(kid) ? kid : undefined
  } catch {
    return undefined
  }
}

/** What is wrong if the engine seals with a key that the portal does not have; undefined if nothing is. */
export function keyMismatch(engineKeyId: string, portalKeyIds: readonly string[]): string | undefined {
  if (portalKeyIds.includes(engineKeyId)) return undefined
  return `the engine seals with the key ${engineKeyId}, the portal opens ${portalKeyIds.join(' and ')}: their shared secrets differ`
}
