// The process: reads the configuration, opens the ledger, serves, and stops on a signal.
import packageJson from '#package' with { type: 'json' }
import { openWhenReachable } from '../database/open-when-reachable.ts'
import { type Ledger, openLedger, storageNotice } from '../ledger/ledger.ts'
import { cacheResult } from '../observability/cache-result.ts'
import { createLog, endOnUnexpectedError } from '../observability/log.ts'
import type { OpsServer } from '../observability/ops-server.ts'
import { ConfigProblems } from '../settings/problems.ts'
import { parseCommandLine } from '../start/command-line.ts'
import { type Listener, listenFault } from '../start/listener.ts'
import { watchCa } from './certificate/watch-ca.ts'
import { createHealthClient } from './engine-client/clients.ts'
import { HELP } from './help.ts'
import type { StartEvent } from './monitoring/audit-events.ts'
import { reportEngine } from './monitoring/report-engine.ts'
import { createTally } from './monitoring/tally.ts'
import { loadCatalogues } from './page/i18n/catalogue.ts'
import { lastEngineRecords } from './privacy/engine-records.ts'
import { type Serving, serve } from './serve.ts'
import { loadPortalConfig, type PortalConfig } from './settings/load.ts'
import { summarise } from './settings/summary.ts'
import { policyDocuments } from './verdict/policy-document.ts'

const EXIT_MISCONFIGURED = 2
/** Readiness, the privacy notice and the report at the start share one request to the engine. */
const HEALTH_MS = 5_000
const REPORT_DELAY_MS = 1_000

const isCheck = readCommandLine()
const log = createLog()
endOnUnexpectedError(log)
let portal: Serving | undefined
let ops: OpsServer | undefined
let isStopping = false
// Registered first: as process 1 of a container it would otherwise ignore these signals.
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

const loaded = await readConfig()
if (isCheck) {
  const { checkStart } = await import('./check.ts')
  process.exit(await checkStart(loaded))
}
const { config, policyTexts, privacyTexts } = loaded
for (const warning of loaded.warnings) log.warn(warning)
const start: StartEvent = { event: 'start', configuration: summarise(config) }
log.info(start, 'starting')
const catalogues = await loadCatalogues(config.locales.supported)
const documents = policyDocuments(catalogues, policyTexts)
const ledger = await openWhenReachable(openWithDocuments, log).catch((error: unknown) => {
  log.fatal({ err: error }, 'the database is not usable; stopping')
  process.exit(1)
})
const { durability } = ledger
log.info({ durability }, 'ledger open')
const notice = storageNotice(durability)
if (notice !== undefined) log.warn(notice)
if (durability.settings.fsync === 'off') log.warn('fsync is off: acceptances are lost when the database crashes')
const publishedCa = await watchCa(config.certificate, log)
const tally = createTally()
const readHealth = createHealthClient(config)
const readEngineHealth = readHealth && cacheResult(HEALTH_MS, Date.now, readHealth)
ops = await startOps()
const engineRecords = readEngineHealth && lastEngineRecords(readEngineHealth)
const dependencies = { config, ledger, catalogues, documents, privacyTexts, publishedCa, log, tally, engineRecords }
portal = await serve(dependencies).catch((error: unknown) =>
  exitUnlessListening(error, config.listen, 'GATEWAY_CAPTIVE_LISTEN_HOST, GATEWAY_CAPTIVE_LISTEN_PORT'),
)
log.info({ host: config.listen.host }, `listening on ${portal.address}`)
if (readEngineHealth !== undefined) {
  const keyIds = [...config.payload.keyring.opening.keys()]
  // The first visitors do not wait for its TLS handshake.
  setTimeout(() => {
    void reportEngine({ readEngineHealth, keyIds, log })
    engineRecords?.()
  }, REPORT_DELAY_MS).unref()
}

/** @returns whether the program only checks what a start would check */
function readCommandLine(): boolean {
  try {
    const action = parseCommandLine(process.argv.slice(2))
    if (action === 'run' || action === 'check') return action === 'check'
    process.stdout.write(action === 'help' ? HELP : `${packageJson.version}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

async function readConfig(): Promise<PortalConfig> {
  try {
    return await loadPortalConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

async function openWithDocuments(): Promise<Ledger> {
  const ledger = await openLedger(config.database, { clock: Date.now, migrate: true })
  try {
    for (const locale of config.locales.supported) await ledger.keepDocument(documents[locale])
    return ledger
  } catch (error) {
    await ledger.close()
    throw error
  }
}

/** Its packages are loaded only when it is turned on. */
async function startOps(): Promise<OpsServer | undefined> {
  if (config.ops.port === 0) return undefined
  const { startOps } = await import('./monitoring/start-ops.ts')
  return await startOps({ config, ledger, publishedCa, readEngineHealth, clock: Date.now, tally }).catch(
    (error: unknown) => exitUnlessListening(error, config.ops, 'GATEWAY_CAPTIVE_OPS_HOST, GATEWAY_CAPTIVE_OPS_PORT'),
  )
}

/** @param settings what names the address */
function exitUnlessListening(error: unknown, where: Listener, settings: string): never {
  const fault = listenFault(error, where)
  if (fault === undefined) throw error
  log.fatal(`${fault}; ${settings}`)
  process.exit(1)
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
