// The process: reads the configuration, opens the ledger, serves, and stops.
import { loadPortalConfig, type PortalConfig } from '../aup/policy-texts.ts'
import { ConfigProblems } from '../config/problems.ts'
import { summarise } from '../config/summary.ts'
import { MEMORY_BACKED } from '../ledger/durability.ts'
import { openLedger } from '../ledger/ledger.ts'
import { createLog, endOnUnexpectedError } from '../observability/log.ts'
import type { OpsServer } from '../observability/ops-server.ts'
import type { StartEvent } from './monitoring/audit-events.ts'
import { createTally } from './monitoring/tally.ts'
import { policyDocuments } from './pages/policy-document.ts'
import { openWhenReachable } from './process/open-ledger.ts'
import { type Serving, serve } from './process/serve.ts'
import { watchCa } from './process/watch-ca.ts'

const EXIT_MISCONFIGURED = 2

const log = createLog()
endOnUnexpectedError(log)
let portal: Serving | undefined
let ops: OpsServer | undefined
let isStopping = false
// From the beginning: as process 1 of a container it would not hear them otherwise.
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

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
const tally = createTally()
ops = await startOps()
portal = await serve({ config, ledger, documents, publishedCa, log, tally })
log.info({ host: config.listen.host }, `listening on ${portal.address}`)

async function readConfig(): Promise<PortalConfig> {
  try {
    const loaded = await loadPortalConfig(process.env)
    for (const warning of loaded.warnings) log.warn(warning)
    return loaded
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

/** Its packages are loaded only when it is turned on. */
async function startOps(): Promise<OpsServer | undefined> {
  if (config.ops.port === 0) return undefined
  const { startOps } = await import('./monitoring/start-ops.ts')
  return await startOps({ config, ledger, publishedCa, clock: Date.now, tally }).catch((error: unknown) => {
    log.fatal({ err: error }, 'the operations listener cannot listen; stopping')
    process.exit(1)
  })
}

/** A second signal stops without the grace period. */
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
