// How much a process takes on at once, from how many files it may have open: each connection, each question to the engine
// and the database need some, and running out of them fails in the middle of an answer instead of before it.

/** How many at once. */
export interface Capacity {
  /** Connections; one more is closed. */
  readonly connections: number
  /** Acknowledgements. */
  readonly relays: number
  /** Those of `relays` that need the database: fewer, so that a database that hangs leaves room for the others. */
  readonly recordings: number
  /** Those of `relays` from one client address: half, so that one address leaves room for the others. */
  readonly relaysPerClient: number
  /** The same of `recordings`: otherwise one address could leave a third of them for all others. */
  readonly recordingsPerClient: number
}

/** For the runtime, its threads, the log, the ledger and whatever is read now and then. */
const OWN_FILES = 64
const CONNECTIONS_AT_MOST = 4096
const RELAYS_AT_MOST = 256

export function capacityOf(openFiles: number): Capacity {
  const files = Math.max(openFiles - OWN_FILES, 32)
  const relays = Math.min(RELAYS_AT_MOST, Math.floor(files / 4))
  const recordings = Math.floor((relays * 3) / 4)
  return {
    connections: Math.min(CONNECTIONS_AT_MOST, Math.floor(((files - relays) * 7) / 8)),
    relays,
    recordings,
    relaysPerClient: Math.floor(relays / 2),
    recordingsPerClient: Math.floor(recordings / 2),
  }
}

/** What the operating system allows this process. */
export function openFileLimit(): number {
  // It would ask the names of all addresses.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const limit = report.userLimits?.open_files?.soft
  // "unlimited", and Windows has none.
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
}
