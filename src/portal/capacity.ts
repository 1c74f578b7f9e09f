// Concurrency limits of a process, from its limit of open files: each connection and each request to the engine or the
// database needs one, and without a limit a request would fail halfway through.

/** Concurrency limits. */
export interface Capacity {
  /** Connections; further ones are closed. */
  readonly connections: number
  /** Acknowledgements in flight. */
  readonly relays: number
  /** Those of `relays` from one client address: half, so that one address leaves slots for the others. */
  readonly relaysPerClient: number
}

/** For the runtime, its threads, the log, the ledger and occasional file reads. */
const OWN_FILES = 64
const MAXIMUM_CONNECTIONS = 4096
const MAXIMUM_RELAYS = 256

export function capacityOf(openFiles: number): Capacity {
  const files = Math.max(openFiles - OWN_FILES, 32)
  const relays = Math.min(MAXIMUM_RELAYS, Math.floor(files / 4))
  return {
    connections: Math.min(MAXIMUM_CONNECTIONS, Math.floor(((files - relays) * 7) / 8)),
    relays,
    relaysPerClient: Math.floor(relays / 2),
  }
}

/** The soft limit of this process; infinite when unlimited. */
export function openFileLimit(): number {
  // The network section would resolve the names of all addresses.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const limit = report.userLimits?.open_files?.soft
  // Otherwise "unlimited"; undefined on Windows.
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
}
