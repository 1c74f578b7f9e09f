// The process: configuration and ledger are looked at once, here; then it serves, or looks after several that do.
import { loadPortalConfig, type PortalConfig } from '../aup/policy-texts.ts'
import { rememberFiles } from '../config/file.ts'
import { ConfigProblems } from '../config/problems.ts'
import { summarise } from '../config/summary.ts'
import { MEMORY_BACKED } from '../ledger/durability.ts'
import { openLedger } from '../ledger/ledger.ts'
import type { StartEvent } from './audit-events.ts'
import { createLog, endOnUnexpectedError } from './log.ts'
import { openWhenReachable } from './open-when-reachable.ts'
import type { OpsServer } from './ops/ops-server.ts'
import { createTally } from './ops/tally.ts'
import { policyDocuments } from './policy-document.ts'
import { drainMilliseconds, type Serving, serve } from './serve.ts'
import { watchCa } from './watch-ca.ts'
import { startWorkers } from './workers.ts'

const EXIT_MISCONFIGURED = 2

const log = createLog()
endOnUnexpectedError(log)
let portal: Serving | undefined
let ops: OpsServer | undefined
let isStopping = false
// From the beginning: as process 1 of a container it would not hear them otherwise.
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

const { readFile, files } = rememberFiles()
const { config, policyTexts } = await readConfig()
const start: StartEvent = { event: 'start', configuration: summarise(config) }
log.info(start, 'starting')
const open = () => openLedger(config.database, { clock: Date.now, migrate: true })
const ledger = await openWhenReachable(open, log).catch((error: unknown) => {
  log.fatal({ err: error }, 'the database is not usable; stopping')
  process.exit(1)
})
const { durability } = ledger
log.info({ durability }, 'ledger open')
if (durability.memoryBacked) log.warn(MEMORY_BACKED)
if (durability.settings.fsync === 'off') log.warn('fsync is off: acceptances are lost when the database crashes')
const documents = policyDocuments(policyTexts)
for (const locale of config.locales.supported) await ledger.keepDocument(documents[locale])
const publishedCa = await watchCa(config.certificate, log)
const observed = { config, ledger, publishedCa, clock: Date.now }

portal = await (config.workers === 1 ? serveAlone() : serveByWorkers(config.workers))
log.info({ host: config.listen.host }, `listening on ${portal.address}`)

async function readConfig(): Promise<PortalConfig> {
  try {
    const loaded = await loadPortalConfig(process.env, readFile)
    for (const warning of loaded.warnings) log.warn(warning)
    return loaded
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

async function serveAlone(): Promise<Serving> {
  const tally = createTally()
  ops = await startOps(({ startOps }) => startOps({ ...observed, tally }))
  return await serve({ config, ledger, documents, publishedCa, log, tally })
}

async function serveByWorkers(count: number): Promise<Serving> {
  const orders = { files, policyTexts, durability }
  const workers = await startWorkers({ count, orders, drainMilliseconds: drainMilliseconds(config), log })
  ops = await startOps(({ startOpsOfWorkers }) =>
    startOpsOfWorkers({ ...observed, eventLoopDelay: workers.longestDelay }),
  )
  // Each worker has a connection of its own; here only the readiness checks need one.
  if (ops === undefined) await ledger.close()
  return workers
}

/** The packages for it are not even loaded where nobody asks. */
async function startOps(
  begin: (module: typeof import('./ops/start-ops.ts')) => Promise<OpsServer>,
): Promise<OpsServer | undefined> {
  if (config.ops.port === 0) return undefined
  return await begin(await import('./ops/start-ops.ts')).catch((error: unknown) => {
    log.fatal({ err: error }, 'the operations listener cannot listen; stopping')
    process.exit(1)
  })
}

/** Whoever does not want to wait says so again. */
async function stop(signal: NodeJS.Signals): Promise<void> {
  const closed = portal?.close(signal)
  if (isStopping) return
  isStopping = true
  log.info({ signal }, 'stopping')
  await closed
  await ops?.close()
  log.info('stopped')
  process.exit(0)
}
